/**
 * The stretch of a conversation that is loaded: turns in order, without a gap, and whether more was said
 * before and after. It hears what is said while it is open.
 */
import { LARGEST_PAGE, get } from '../api';
import type { Turn } from '../api/shapes';
import type { TurnNews } from '../live.svelte';

/** How many turns one call asks for: first what fills a window, then more and more of whoever goes on and on. */
export const FIRST = 60;
const PAGE = 150;
const LONG_PAGE = 600;
/** How many of the newest are asked for again when something may have been missed. */
const DOUBTFUL = 200;

/** Whoever follows the end for days keeps so many turns; the older ones are a scroll away. */
const MOST_FOLLOWED = 5000;
const KEPT = 1000;

type Doing = 'nothing' | 'beginning' | 'older' | 'newer';

export class Talk {
  turns: readonly Turn[] = $state.raw([]);
  /** Whether more was said before the first, and after the last. */
  older = $state(false);
  newer = $state(false);
  doing: Doing = $state('nothing');
  /** What went wrong when turns were last asked for. */
  trouble: unknown = $state.raw(null);
  /** Whether the last change was at the start, by more or fewer turns: a list that is scrolled must be told. */
  grewAtStart = $state(false);
  /** Counts the stretches that were opened: each is a new list. */
  stretch = $state(0);
  /** How many new things were said since somebody last looked at the end. */
  unseen = $state(0);

  #nth = 0;
  #early: TurnNews[] | null = null;

  constructor(readonly agent: number) {}

  /** The end of the conversation. */
  async openNewest(): Promise<void> {
    await this.#open(async () => {
      const turns = await this.#asked({ limit: FIRST });
      return { turns, older: turns.length === FIRST, newer: false };
    });
    this.unseen = 0;
  }

  async openFirst(): Promise<void> {
    await this.#open(async () => {
      const turns = await this.#asked({ after: 'first', limit: PAGE });
      return { turns, older: false, newer: turns.length === PAGE };
    });
  }

  /** A turn, and what was said around it. */
  async openAround(position: number): Promise<void> {
    await this.#open(async () => {
      const path = { name: this.agent, position };
      const turn = await get('/api/agents/{name}/turns/{position}', { path });
      const [before, after] = await Promise.all([
        this.#asked({ before: turn.cursor, limit: PAGE }),
        this.#asked({ after: turn.cursor, limit: PAGE }),
      ]);
      return { turns: [...before, turn, ...after], older: before.length === PAGE, newer: after.length === PAGE };
    });
  }

  holds(position: number): boolean {
    return this.turns.some((turn) => turn.position === position);
  }

  async moreOlder(): Promise<void> {
    const first = this.turns[0];
    if (!first || !this.older || this.doing !== 'nothing') return;
    const limit = this.#next();
    await this.#more('older', { before: first.cursor, limit }, (page) => {
      this.grewAtStart = true;
      this.turns = [...this.#unknown(page), ...this.turns];
      this.older = page.length === limit;
    });
  }

  async moreNewer(): Promise<void> {
    const last = this.turns.at(-1);
    if (!last || !this.newer || this.doing !== 'nothing') return;
    const limit = this.#next();
    await this.#more('newer', { after: last.cursor, limit }, (page) => {
      this.grewAtStart = false;
      this.turns = [...this.turns, ...this.#unknown(page)];
      this.newer = page.length === limit;
    });
  }

  /** Let go of what is long out of sight of somebody who follows the end. */
  letGo(): void {
    if (this.turns.length <= MOST_FOLLOWED || this.newer) return;
    this.grewAtStart = true;
    this.turns = this.turns.slice(-KEPT);
    this.older = true;
  }

  hear(news: TurnNews): void {
    if (this.#early) {
      this.#early.push(news);
      return;
    }
    switch (news.is) {
      case 'created':
      case 'updated':
        return this.#put(news.turn);
      case 'meant': {
        const { agent_id: _, ...meaning } = news.meant;
        const turn = this.turns.find((each) => each.position === meaning.position);
        return turn && this.#put({ ...turn, ...meaning });
      }
      case 'resync':
        return void this.#catchUp();
    }
  }

  /** Load another stretch. What is told meanwhile is heard when it has come. */
  async #open(load: () => Promise<{ turns: Turn[]; older: boolean; newer: boolean }>): Promise<void> {
    const nth = ++this.#nth;
    this.#early ??= [];
    this.doing = 'beginning';
    this.trouble = null;
    try {
      const { turns, older, newer } = await load();
      if (nth !== this.#nth) return;
      this.grewAtStart = false;
      this.turns = turns;
      this.stretch = nth;
      this.older = older;
      this.newer = newer;
    } catch (thrown) {
      if (nth !== this.#nth) return;
      this.trouble = thrown;
    }
    this.doing = 'nothing';
    const early = this.#early ?? [];
    this.#early = null;
    for (const news of early) this.hear(news);
  }

  async #more(doing: Doing, query: Query, add: (page: Turn[]) => void): Promise<void> {
    const nth = this.#nth;
    this.doing = doing;
    this.trouble = null;
    try {
      const page = await this.#asked(query);
      if (nth === this.#nth) add(page);
    } catch (thrown) {
      if (nth === this.#nth) this.trouble = thrown;
    } finally {
      if (nth === this.#nth) this.doing = 'nothing';
    }
  }

  /** Ask again for the end: the stream was away, and what it would have told is not told again. */
  async #catchUp(): Promise<void> {
    if (this.newer || !this.turns.length) return;
    const place = this.turns.at(-DOUBTFUL)?.cursor ?? 'first';
    await this.#more('newer', { after: place, limit: LARGEST_PAGE }, (page) => {
      for (const turn of page) this.#put(turn);
      this.newer = page.length === LARGEST_PAGE;
    });
  }

  #next(): number {
    return Math.min(LONG_PAGE, Math.max(PAGE, this.turns.length));
  }

  #asked(query: Query): Promise<Turn[]> {
    return get('/api/agents/{name}/turns', { path: { name: this.agent }, query });
  }

  #unknown(page: Turn[]): Turn[] {
    const known = new Set(this.turns.map((turn) => turn.position));
    return page.filter((turn) => !known.has(turn.position));
  }

  /** Put a turn where it belongs: in place of what was known of it, or as a new one. */
  #put(turn: Turn): void {
    const at = this.turns.findLastIndex((each) => each.position === turn.position);
    const known = this.turns[at];
    if (known) {
      const rest = known.happened_at === turn.happened_at ? this.turns.with(at, turn) : inserted(this.turns.toSpliced(at, 1), turn);
      this.#now(rest);
      return;
    }
    const [first, last] = [this.turns[0], this.turns.at(-1)];
    if (this.older && first && comesBefore(turn, first)) return; // it comes with the page it belongs to
    if (counts(turn)) this.unseen += 1;
    if (this.newer && last && comesBefore(last, turn)) return;
    this.#now(inserted(this.turns, turn));
  }

  #now(turns: readonly Turn[]): void {
    this.grewAtStart = false;
    this.turns = turns;
  }
}

type Query = { before?: string; after?: string; limit: number };

/** What a person would call something new: a tool's result belongs to its call. */
function counts(turn: Turn): boolean {
  return turn.thread === '' && !(turn.kind === 'tool' && turn.actor === 'user');
}

function comesBefore(one: Turn, other: Turn): boolean {
  if (one.happened_at === other.happened_at) return one.position < other.position;
  return one.happened_at < other.happened_at;
}

function inserted(turns: readonly Turn[], turn: Turn): Turn[] {
  const after = turns.findLastIndex((each) => comesBefore(each, turn));
  return turns.toSpliced(after + 1, 0, turn);
}
