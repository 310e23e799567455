/** Who is meant by a name in an address. Pure. */
import type { Card } from '../api/shapes';

const SHORTEST_PREFIX = 6;

/** The numbers of the agents that a number, a session or the beginning of one may mean. */
export function whoIs(name: string, cards: Iterable<Card>): number[] {
  const all = [...cards];
  const isNumber = /^\d+$/.test(name) && name.length < SHORTEST_PREFIX;
  if (isNumber) return all.filter((card) => card.id === Number(name)).map((card) => card.id);
  if (name.length < SHORTEST_PREFIX) return [];
  const exact = all.filter((card) => card.sessions.includes(name));
  const meant = exact.length ? exact : all.filter((card) => card.sessions.some((session) => session.startsWith(name)));
  return meant.map((card) => card.id);
}
