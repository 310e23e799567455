/** Asks as marks on a lane: what stands too close to be told apart is one mark with a number. Pure. */
import type { Ask, AskKind, AskShort, Standing } from '../api/shapes';
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

/** What a mark says of an ask. An open one comes with the stream, ahead of the rest. */
export type Asked = Pick<AskShort, 'id' | 'kind' | 'agent_id' | 'title' | 'opened_at' | 'outcome' | 'why'> & {
  at: number;
  closedAt: number | null;
};

export function askedOf(ask: AskShort & Partial<Pick<Ask, 'closed_at'>>): Asked {
  const { id, kind, agent_id, title, opened_at, outcome, why, closed_at } = ask;
  const closedAt = closed_at ? Date.parse(closed_at) : null;
  return { id, kind, agent_id, title, opened_at, outcome, why, at: Date.parse(opened_at), closedAt };
}

/** Each agent's asks, the oldest first. What was told says more than what was heard, but not what came since. */
export function asksByAgent(told: readonly Asked[], heard: Iterable<AskShort>): Map<number, Asked[]> {
  const all = new Map(told.map((ask) => [ask.id, ask]));
  for (const ask of heard) {
    const known = all.get(ask.id) ?? askedOf(ask);
    all.set(ask.id, known.outcome ? known : { ...known, outcome: ask.outcome, why: ask.why });
  }
  const found = new Map<number, Asked[]>();
  for (const ask of all.values()) {
    const asks = found.get(ask.agent_id) ?? [];
    asks.push(ask);
    found.set(ask.agent_id, asks);
  }
  for (const asks of found.values()) asks.sort((one, other) => one.at - other.at || one.id - other.id);
  return found;
}

export const shapeOf = (ask: Pick<Ask, 'kind'>): Standing => SHAPE[ask.kind] ?? 'awaiting_input';

export interface Mark {
  x: number;
  asks: Asked[];
}

const APART = 15;

/** These must be in order of time. */
export function marksOf(asks: readonly Asked[], scale: Scale): Mark[] {
  const marks: Mark[] = [];
  for (const ask of asks) {
    if (ask.at < scale.from || ask.at > scale.to) continue;
    const x = xOf(ask.at, scale);
    const last = marks.at(-1);
    if (last && x - last.x < APART) last.asks.push(ask);
    else marks.push({ x, asks: [ask] });
  }
  return marks;
}
