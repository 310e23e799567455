/** The seven standings: their words, and how much each wants attention. */
import type { Card, Standing } from './api/shapes';

export const STANDINGS: readonly Standing[] = [
  'awaiting_approval',
  'awaiting_input',
  'error',
  'running',
  'starting',
  'idle',
  'closed',
];

export const WORDS: Record<Standing, string> = {
  awaiting_approval: 'awaiting approval',
  awaiting_input: 'awaiting input',
  error: 'error',
  running: 'running',
  starting: 'starting',
  idle: 'idle',
  closed: 'closed',
};

export function needsYou(card: Card): boolean {
  return !card.muted && (card.standing === 'awaiting_approval' || card.standing === 'awaiting_input' || card.standing === 'error');
}

function rank(card: Card): number {
  const found = STANDINGS.indexOf(card.standing);
  return (found < 0 ? STANDINGS.length : found) + (card.muted ? STANDINGS.length : 0);
}

/**
 * Who wants attention comes first; among those, who has waited longest. The others stand by when they
 * last changed, not by when they last spoke: a board that shuffles at every word cannot be read.
 */
export function byAttention(one: Card, other: Card): number {
  const apart = rank(one) - rank(other);
  if (apart) return apart;
  const [first, second] = [one.since ?? '', other.since ?? ''];
  if (first === second) return one.id - other.id;
  const longestFirst = needsYou(one) ? 1 : -1;
  return (first < second ? -1 : 1) * longestFirst;
}
