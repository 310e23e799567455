/** What became of the commands of a conversation: asked for with its words, and heard from then on. */
import { LARGEST_PAGE, get } from '../api';
import type { Transition, Turn } from '../api/shapes';
import { type Fate, fateOf, heardFate } from './commands';

export class Fates {
  #known: ReadonlyMap<number, Fate> = $state.raw(new Map());
  /** The commands that the daemon was asked about. */
  #asked = new Set<number>();

  constructor(readonly agent: number) {}

  of(command: number): Fate | undefined {
    return this.#known.get(command);
  }

  /** Ask about the newest commands. */
  async learnNewest(limit: number): Promise<void> {
    await this.#learn({ limit });
  }

  /** Ask about the commands of these turns, each once. */
  async learn(turns: readonly Turn[]): Promise<void> {
    const strange = new Set<number>();
    for (const { command_id: id } of turns) {
      if (id !== null && !this.#known.has(id) && !this.#asked.has(id)) strange.add(id);
    }
    for (const id of strange) this.#asked.add(id);
    await this.#learnBetween([...strange]);
  }

  /** Something may have been missed: ask again about those that had not ended. */
  async catchUp(): Promise<void> {
    const open = [...this.#known].filter(([, { state }]) => state !== 'complete');
    await this.#learnBetween(open.map(([id]) => id));
  }

  hear(news: Transition): void {
    if (news.machine === 'command' && news.command_id !== null) this.#put([[news.command_id, heardFate(news)]]);
  }

  async #learnBetween(ids: number[]): Promise<void> {
    const first = Math.min(...ids);
    let last = Math.max(...ids);
    while (first <= last) {
      const oldest = await this.#learn({ first, last, limit: LARGEST_PAGE });
      last = oldest === null ? -Infinity : oldest - 1;
    }
  }

  /** Returns the oldest command of an answer that has no room for more. */
  async #learn(query: { first?: number; last?: number; limit: number }): Promise<number | null> {
    try {
      const told = await get('/api/agents/{name}/commands', { path: { name: this.agent }, query });
      const isNews = (id: number, { at }: Fate): boolean => (this.#known.get(id)?.at ?? '') <= at;
      this.#put(told.map((command): [number, Fate] => [command.id, fateOf(command)]).filter((each) => isNews(...each)));
      return told.length === query.limit ? (told[0]?.id ?? null) : null;
    } catch {
      this.#asked.clear(); // The conversation can be read without them; they are asked for with its next words.
      return null;
    }
  }

  #put(told: [number, Fate][]): void {
    this.#known = new Map([...this.#known, ...told]);
  }
}
