/**
 * Something that the daemon is asked for again and again, while somebody looks at it.
 *
 *   const spend = new Fresh((signal) => get('/api/spend', { signal }), { every: 15_000 });
 *   $effect(() => spend.start());          // `spend.value`, `spend.failed`
 *
 * One call at a time. A page that is hidden asks nothing; it asks when it is looked at again.
 */
export interface Pace {
  /** Milliseconds after which it is asked for again without any news. */
  every: number;
  /** With news, it is asked for after this long at the earliest. */
  soonest?: number;
}

/** What takes long is asked for less often: the daemon has other work. */
const SHARE = 20;

export class Fresh<T> {
  value: T | null = $state.raw(null);
  failed: unknown = $state.raw(null);

  #ask: (signal: AbortSignal) => Promise<T>;
  #every: number;
  #soonest: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Infinity;
  #asking: AbortController | undefined;
  #asked = 0;
  #took = 0;
  #going = false;

  constructor(ask: (signal: AbortSignal) => Promise<T>, { every, soonest = 1_000 }: Pace) {
    this.#ask = ask;
    this.#every = every;
    this.#soonest = soonest;
  }

  /** Ask now and go on asking; returns how to stop. */
  start(): () => void {
    this.#going = true;
    const look = (): void => {
      if (!document.hidden) this.soon();
    };
    document.addEventListener('visibilitychange', look);
    this.now();
    return () => {
      this.#going = false;
      document.removeEventListener('visibilitychange', look);
      clearTimeout(this.#timer);
      this.#asking?.abort();
    };
  }

  /** There is news: ask again, but not at once if that was just done. */
  soon(): void {
    this.#at(this.#asked + Math.max(this.#soonest, this.#took * SHARE));
  }

  /** Ask now, whatever is under way: the question has changed, or a person wants to know. */
  now(): void {
    this.#asking?.abort();
    this.#asking = undefined;
    this.#at(0);
  }

  #at(moment: number): void {
    if (!this.#going || (moment >= this.#due && moment > 0)) return;
    clearTimeout(this.#timer);
    this.#due = moment;
    this.#timer = setTimeout(() => void this.#go(), Math.max(0, moment - Date.now()));
  }

  async #go(): Promise<void> {
    this.#due = Infinity;
    if (document.hidden) return; // whoever looks again asks again
    if (this.#asking) return this.#at(Date.now() + this.#soonest);
    const mine = (this.#asking = new AbortController());
    const began = (this.#asked = Date.now());
    try {
      const value = await this.#ask(mine.signal);
      if (mine.signal.aborted) return;
      this.value = value;
      this.failed = null;
    } catch (thrown) {
      if (mine.signal.aborted) return;
      this.failed = thrown;
    }
    this.#asking = undefined;
    this.#took = Date.now() - began;
    this.#at(Date.now() + this.#every);
  }
}
