/** What the API gives, by the names that pages use. What is not in the description yet is written here. */
import type { components } from './types';

type Described = components['schemas'];

export type Standing =
  | 'awaiting_approval'
  | 'awaiting_input'
  | 'error'
  | 'running'
  | 'starting'
  | 'idle'
  | 'closed';

/** An agent. The optional fields come from daemons that know them. */
export type Card = Omit<Described['Card'], 'standing'> & {
  standing: Standing;
  muted?: boolean;
  doing?: { tool: string; since: string } | null;
  context?: { tokens: number; window: number } | null;
};

export type Turn = Described['TurnTold'];
export type Transition = Described['TransitionTold'];
export type Command = Described['CommandTold'];
export type Reconciled = Described['Reconciled'];
export type Why = Described['Why'];
export type Found = Described['Found'];
export type Health = Described['Health'];
export type Session = Described['SessionShown'];
export type TurnMeant = Described['TurnMeant'];
export type AgentGone = Described['AgentGone'];
export type Spend = Described['Spend'];
export type SpendRow = Described['SpendRow'];
export type Price = Described['Price'];
export type Timeline = Described['Timeline'];

export type AskKind = 'permission' | 'question' | 'plan' | 'words' | 'error' | 'project' | 'channel';
export type Decision = Described['Decision'];

/** An ask as the stream tells it: enough for a count and a line. */
export type AskShort = Omit<Described['AskEvent'], 'kind'> & { kind: AskKind };

/** An ask in full: `GET /api/asks/{number}`. */
export type Ask = Omit<Described['AskTold'], 'kind' | 'decisions'> & { kind: AskKind; decisions: Decision[] };

export type Question = Described['Question'];

/** The body of `POST /api/asks/{number}/answer`. */
export type Answer = Pick<Described['Answer'], 'decision'> & Partial<Described['Answer']>;

export interface Interrupted {
  outcome: 'delivered' | 'refused';
  reason: string;
}

/** What the stream says first, and again whenever a reader was away too long. */
export interface Snapshot {
  position: number;
  agents: Card[];
  asks?: AskShort[];
}
