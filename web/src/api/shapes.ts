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
export type Reconciled = Described['Reconciled'];
export type Why = Described['Why'];
export type Found = Described['Found'];
export type Health = Described['Health'];
export type Session = Described['SessionShown'];
export type TurnMeant = Described['TurnMeant'];
export type AgentGone = Described['AgentGone'];

export type AskKind = 'permission' | 'question' | 'plan' | 'words' | 'error' | 'project' | 'channel';
export type Decision = 'allow' | 'always' | 'deny' | 'answer' | 'approve' | 'reject' | 'dismiss';

/** An ask as the stream tells it: enough for a count and a line. */
export interface AskShort {
  id: number;
  kind: AskKind;
  agent_id: number;
  session_id: string;
  title: string;
  opened_at: string;
  answerable: boolean;
  outcome: string | null;
  why: string | null;
}

export interface Question {
  question: string;
  header: string;
  multiple: boolean;
  options: { label: string; description: string }[];
}

export interface Answer {
  decision: Decision;
  message?: string | null;
  answers?: Record<string, string | string[]> | null;
}

/** An ask in full: `GET /api/asks/{id}`. */
export interface Ask extends AskShort {
  agent: string;
  project: string;
  host: string;
  body: string;
  tool: string | null;
  input: Record<string, unknown> | null;
  diff: string | null;
  questions: Question[];
  suggestions: string[];
  decisions: Decision[];
  confidence: number | null;
  closed_at: string | null;
  answer: (Answer & { by: string; at: string }) | null;
}

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
