/** Asks as marks on a lane: what stands too close to be told apart is one mark with a number. Pure. */
import type { Ask, AskKind, Standing } from '../api/shapes';
import { type Scale, xOf } from './drawing';

/** The shape that an ask borrows from the standing it causes. */
const SHAPE: Record<AskKind, Standing> = {
  permission: 'awaiting_approval',
  plan: 'awaiting_approval',
  question: 'awaiting_input',
  words: 'awaiting_input',
  project: 'awaiting_input',
  channel: 'awaiting_input',
  error: 'error',
};

export const KIND_WORDS: Record<AskKind, string> = {
  permission: 'permission',
  plan: 'plan',
  question: 'question',
  words: 'question in words',
  project: 'question of a project',
  channel: 'question in a channel',
  error: 'error',
};

export const shapeOf = (ask: Pick<Ask, 'kind'>): Standing => SHAPE[ask.kind] ?? 'awaiting_input';

export interface Mark {
  x: number;
  asks: Ask[];
}

const APART = 15;

export function marksOf(asks: readonly Ask[], scale: Scale): Mark[] {
  const marks: Mark[] = [];
  for (const ask of [...asks].sort((one, other) => one.opened_at.localeCompare(other.opened_at))) {
    const x = xOf(Date.parse(ask.opened_at), scale);
    if (x < 0 || x > scale.width) continue;
    const last = marks.at(-1);
    if (last && x - last.x < APART) last.asks.push(ask);
    else marks.push({ x, asks: [ask] });
  }
  return marks;
}

export function asksByAgent(asks: readonly Ask[]): Map<number, Ask[]> {
  const found = new Map<number, Ask[]>();
  for (const ask of asks) found.set(ask.agent_id, [...(found.get(ask.agent_id) ?? []), ask]);
  return found;
}
