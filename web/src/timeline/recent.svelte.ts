/** The past around what is looked at, kept fresh while somebody looks. */
import { get } from '../api';
import type { AskShort } from '../api/shapes';
import { Fresh } from '../fresh.svelte';
import { type Past, type Stretch, pastOf } from './bands';
import { type Asked, askedOf } from './marks';

/** So much more than is looked at is asked for on either side: moving a little needs no waiting. */
const MARGIN = 0.5;

export function bandsOf(stretch: () => Stretch): Fresh<Past> {
  return new Fresh(
    async (signal) => {
      const { from, to } = widened(stretch());
      const until = to < Date.now() ? new Date(to).toISOString() : null;
      return pastOf(await get('/api/timeline', { query: { since: new Date(from).toISOString(), until }, signal }));
    },
    { every: 30_000, soonest: 2_000 },
  );
}

/** Open asks come with the stream; those that were closed are asked for when one was. */
export function asksOf(stretch: () => Stretch): Fresh<Asked[]> {
  return new Fresh(
    async (signal) => {
      const since = new Date(widened(stretch()).from).toISOString();
      return ((await get('/api/asks', { query: { closed_since: since }, signal })) as AskShort[]).map(askedOf);
    },
    { every: 300_000, soonest: 2_000 },
  );
}

function widened({ from, to }: Stretch): Stretch {
  const more = (to - from) * MARGIN;
  return { from: from - more, to: to + more };
}

/** Whether this holds all of that stretch, as far as it is over. */
export function holds(past: Past, { from, to }: Stretch, now: number): boolean {
  return past.from <= from && (past.to >= to || past.to > now - 60_000);
}
