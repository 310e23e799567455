/** What each agent has cost so far, by estimate; asked for while somebody looks at the board. */
import { get } from '../api';
import type { SpendRow } from '../api/shapes';
import { Fresh } from '../fresh.svelte';

/** As many as the daemon tells at once. */
const EVERYBODY = 10_000;

class Spent {
  #rows = new Fresh((signal) => get('/api/spend', { query: { by: 'agent', limit: EVERYBODY }, signal }), {
    every: 60_000,
    soonest: 5_000,
  });
  #by = $derived(new Map<number | null, SpendRow>(this.#rows.value?.rows.map((row) => [row.agent_id, row])));

  of(agent: number): SpendRow | undefined {
    return this.#by.get(agent);
  }

  /** Ask now and go on asking; returns how to stop. */
  start(): () => void {
    return this.#rows.start();
  }

  /** Somebody may have spent more. */
  soon(): void {
    this.#rows.soon();
  }
}

export const spent = new Spent();
