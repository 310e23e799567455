/** What somebody looks for, and what was found. What is looked for is kept in the address. */
import { get } from '../api';
import type { Found } from '../api/shapes';

export interface Asked {
  words: string;
  agent: string;
  project: string;
  since: string;
  actor: string;
}

export const FILTERS = ['agent', 'project', 'since', 'actor'] as const;
/** How many are asked for at first, and each time somebody asks for more. */
const STEPS = [50, 150, 500];

export class Search {
  found: Found | null = $state.raw(null);
  /** What `found` was found for. */
  foundFor: Asked | null = $state.raw(null);
  busy = $state(false);
  trouble: unknown = $state.raw(null);

  #step = 0;
  #asking: AbortController | undefined;

  /** Whether there may be more than is shown. */
  get more(): boolean {
    const limit = STEPS[this.#step] ?? 0;
    return (this.found?.hits.length ?? 0) >= limit && this.#step + 1 < STEPS.length;
  }

  async ask(asked: Asked): Promise<void> {
    this.#step = 0;
    await this.#ask(asked);
  }

  async askForMore(): Promise<void> {
    if (!this.foundFor || !this.more) return;
    this.#step += 1;
    await this.#ask(this.foundFor);
  }

  forget(): void {
    this.#asking?.abort();
    this.found = this.foundFor = this.trouble = null;
    this.busy = false;
  }

  async #ask(asked: Asked): Promise<void> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.busy = true;
    try {
      const query = { ...asked, limit: STEPS[this.#step] ?? 50 };
      this.found = await get('/api/search', { query, signal: asking.signal });
      this.foundFor = asked;
      this.trouble = null;
    } catch (thrown) {
      if (asking.signal.aborted) return;
      this.trouble = thrown;
      this.found = null;
    }
    this.busy = false;
  }
}
