/** What became of a command, in words. Pure. */
import type { Card, Command, Transition, Turn } from '../api/shapes';
import { lasting } from '../clock.svelte';

export interface Fate {
  state: string;
  /** How it ended, if it has. */
  outcome: string | null;
  at: string;
}

const OUTCOMES: Record<string, string> = { agent_completion: 'completed', turn_failed: 'failed', interrupted: 'interrupted' };

export function fateOf({ state, outcome, opened_at, completed_at }: Command): Fate {
  return { state, outcome, at: completed_at ?? opened_at };
}

export function heardFate({ to_state: state, event, at }: Transition): Fate {
  return { state, outcome: state === 'complete' ? (OUTCOMES[event] ?? null) : null, at };
}

export type End = 'done' | 'failed' | 'stopped' | 'waits' | 'works' | 'left' | 'unknown';

export interface Ending {
  is: End;
  words: string;
}

const ENDS: Record<string, Ending> = {
  completed: { is: 'done', words: 'complete' },
  failed: { is: 'failed', words: 'ended by an error' },
  interrupted: { is: 'stopped', words: 'interrupted' },
};

const OPEN: Record<string, Ending> = {
  commanded: { is: 'works', words: 'asked for' },
  processing: { is: 'works', words: 'in progress' },
  awaiting_input: { is: 'waits', words: 'waits for an answer' },
};

/** How a command ended, or how it stands. `last` is the last of its turns with a meaning, if any is loaded. */
export function endingOf(id: number, fate: Fate | undefined, card: Card | undefined, last: Turn | undefined): Ending {
  if (card?.command?.id === id) return OPEN[card.command.state] ?? { is: 'unknown', words: card.command.state };
  if (fate?.state === 'complete') return ENDS[fate.outcome ?? ''] ?? { is: 'done', words: 'complete' };
  if (fate?.state === 'awaiting_input') return { is: 'left', words: 'left without an answer' };
  if (fate) return { is: 'left', words: 'left unfinished' };
  if (last?.intent === 'completion') return { is: 'done', words: 'complete' };
  return { is: 'unknown', words: '' };
}

/** How long it took, or takes. */
export function tookOf(asked: Turn | undefined, fate: Fate | undefined): string {
  if (!asked || fate?.state !== 'complete') return '';
  const took = Date.parse(fate.at) - Date.parse(asked.happened_at);
  return took >= 0 ? within(took) : '';
}

/** `0.4 s`, and in longer units from ten seconds on. */
export function within(ms: number): string {
  return ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : lasting(ms);
}
