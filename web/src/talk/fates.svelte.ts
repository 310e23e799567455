/** What became of the commands of a conversation: asked for with its words, and heard from then on. */
import { get } from '../api';
import type { Transition, Turn } from '../api/shapes';
import { type Fate, fateOf, heardFate } from './commands';

const MOST = 1000;

export class Fates {
  #known: ReadonlyMap<number, Fate> = $state.raw(new Map());
  /** The commands that the daemon was asked about. */
  #asked = new Set<number>();

  constructor(readonly agent: number) {}

  of(command: number): Fate | undefined {
    return this.#known.get(command);
  }

  /** Ask about the newest commands, also about those that are known: of some the end may have been missed. */
  async learnNewest(limit: number): Promise<void> {
    await this.#learn({ limit });
  }

  /** Ask about the commands of these turns, each once. */
  async learn(turns: readonly Turn[]): Promise<void> {
    const strange = new Set<number>();
    for (const { command_id: id } of turns) {
      if (id !== null && !this.#known.has(id) && !this.#asked.has(id)) strange.add(id);
    }
    if (!strange.size) return;
    for (const id of strange) this.#asked.add(id);
    await this.#learn({ first: Math.min(...strange), last: Math.max(...strange), limit: MOST });
  }

  hear(news: Transition): void {
    if (news.machine === 'command' && news.command_id !== null) this.#put([[news.command_id, heardFate(news)]]);
  }

  async #learn(query: { first?: number; last?: number; limit: number }): Promise<void> {
    try {
      const told = await get('/api/agents/{name}/commands', { path: { name: this.agent }, query });
      this.#put(told.map((command) => [command.id, fateOf(command)]));
    } catch {
      this.#asked.clear(); // The conversation can be read without them; they are asked for with its next words.
    }
  }

  /** Of two words on a command the later one counts. */
  #put(told: [number, Fate][]): void {
    const known = new Map(this.#known);
    for (const [id, fate] of told) {
      if ((known.get(id)?.at ?? '') <= fate.at) known.set(id, fate);
    }
    this.#known = known;
  }
}
