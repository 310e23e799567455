/** The past around what is looked at, kept fresh while somebody looks. */
import { call, queryOf } from '../api';
import type { Ask } from '../api/shapes';
import { Fresh } from '../fresh.svelte';
import { type Past, type Stretch, type TimelineTold, pastOf } from './bands';

export interface Recent extends Past {
  asks: Ask[];
}

/** So much more than is looked at is asked for on either side: moving a little needs no waiting. */
const MARGIN = 0.5;

export function recent(stretch: () => Stretch): Fresh<Recent> {
  return new Fresh((signal) => asked(stretch(), signal), { every: 30_000, soonest: 2_000 });
}

/** Whether this holds all of that stretch, as far as it is over. */
export function holds(past: Recent | null, { from, to }: Stretch, now: number): boolean {
  return past !== null && past.from <= from && (past.to >= to || past.to > now - 60_000);
}

async function asked({ from, to }: Stretch, signal: AbortSignal): Promise<Recent> {
  const more = (to - from) * MARGIN;
  const since = new Date(from - more).toISOString();
  const until = to + more < Date.now() ? new Date(to + more).toISOString() : null;
  const [told, asks] = await Promise.all([
    call<TimelineTold>('GET', `/api/timeline${queryOf({ since, until })}`, undefined, signal),
    call<Ask[]>('GET', `/api/asks${queryOf({ closed_since: since })}`, undefined, signal),
  ]);
  return { ...pastOf(told), asks };
}
