/**
 * What waits for a person: every open ask in full, what is being answered, and what has just gone.
 *
 * The stream tells of asks in short; their full text is fetched here, many at once where many came.
 * Whatever has closed stays for a moment and says why, so that nothing vanishes under one's hands.
 */
import { untrack } from 'svelte';
import { call } from '../api';
import type { Ask, AskShort } from '../api/shapes';
import { live } from '../live.svelte';
import { type Host, Item, isKept } from './item.svelte';

const STAYS = 5_000;
const LATE_STAYS = 12_000;
/** So long after cards have moved, nothing can be pressed: the hand meant what was there before. */
const SETTLES = 400;

class Queue implements Host {
  /** Open asks and those that have just gone, oldest first. */
  items: readonly Item[] = $state.raw([]);
  /** Cards have just moved: see SETTLES. */
  moving = $state(false);

  #chosen: number | null = $state(null);
  #synced = false;
  #stale = new Set<Item>();
  #fetching = false;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #newHearers = new Set<(item: Item) => void>();

  constructor() {
    $effect.root(() => {
      $effect(() => {
        const asks = live.asks;
        untrack(() => this.#sync(asks));
      });
    });
  }

  /** How many wait, of agents that are not muted. */
  count = $derived.by(() => [...live.asks.values()].filter((ask) => !live.agents.get(ask.agent_id)?.muted).length);

  /** Those that are shown at once; muted agents' asks wait behind a fold. */
  heard = $derived(this.items.filter((item) => !item.muted));
  muted = $derived(this.items.filter((item) => item.muted));

  /** The one that keys answer. */
  current = $derived(this.heard.find((item) => item.id === this.#chosen) ?? this.heard.find((item) => item.open));

  /** Hear of each ask that comes while the page is open. */
  onNew(hearer: (item: Item) => void): void {
    this.#newHearers.add(hearer);
  }

  /** One ask, open or closed, wherever it stands. */
  look(id: number): Item {
    const known = this.items.find((item) => item.id === id);
    if (known) return known;
    const item = new Item({ ...UNKNOWN, id }, this);
    void item.refresh().then(() => item.ask && (item.short = item.ask));
    return item;
  }

  choose(item: Item): void {
    this.#chosen = item.id;
  }

  /** The next one to look at, or the one before. */
  step(by: 1 | -1): Item | undefined {
    const open = this.heard.filter((item) => item.open || item === this.current);
    const here = open.findIndex((item) => item === this.current);
    const to = open[Math.min(open.length - 1, Math.max(0, here + by))];
    if (to) this.choose(to);
    return to;
  }

  /** An ask has come to its end. One's own makes room at once; another's stays to be read. */
  left(item: Item): void {
    if (item.end?.how === 'mine' && this.current === item) this.#chooseAfter(item);
    this.moved();
    setTimeout(() => this.drop(item, { keepTyped: true }), item.end?.how === 'late' ? LATE_STAYS : STAYS);
  }

  /** Take a closed ask off the list. What somebody has typed into it stays until they say so. */
  drop(item: Item, { keepTyped }: { keepTyped: boolean }): void {
    if (item.open || (keepTyped && isKept(item)) || !this.items.includes(item)) return;
    if (this.current === item) this.#chooseAfter(item);
    this.items = this.items.filter((each) => each !== item);
    this.moved();
  }

  #chooseAfter(item: Item): void {
    const at = this.heard.indexOf(item);
    const next = this.heard.slice(at + 1).find((each) => each.open) ?? this.heard.find((each) => each.open && each !== item);
    this.#chosen = next?.id ?? null;
  }

  /** Cards change their places: let the hand find out before anything can be pressed. */
  moved(): void {
    this.moving = true;
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => (this.moving = false), SETTLES);
  }

  #sync(asks: ReadonlyMap<number, AskShort>): void {
    const known = new Map(this.items.map((item) => [item.id, item]));
    const fresh: Item[] = [];
    for (const short of asks.values()) {
      const item = known.get(short.id);
      if (!item) fresh.push(new Item(short, this));
      else if (item.short !== short) this.#changed(item, short);
    }
    if (fresh.length) this.#add(fresh);
    for (const item of known.values()) if (!asks.has(item.id)) void item.withdraw();
    if (live.known) this.#synced = true;
    void this.#fetch();
  }

  #changed(item: Item, short: AskShort): void {
    item.short = short;
    if (item.end) void item.reopen();
    else this.#stale.add(item);
  }

  #add(fresh: readonly Item[]): void {
    for (const item of fresh) this.#stale.add(item);
    const last = this.items.at(-1);
    this.items = [...this.items, ...fresh].sort(byAge);
    if (last && this.items.indexOf(last) >= this.items.length - fresh.length) this.moved();
    if (this.#chosen === null) this.#chosen = this.items[0]?.id ?? null;
    if (this.#synced) fresh.forEach((item) => this.#newHearers.forEach((hearer) => hearer(item)));
  }

  /** Fetch what is new or has changed; what comes meanwhile is fetched after, together. */
  async #fetch(): Promise<void> {
    if (this.#fetching) return;
    this.#fetching = true;
    while (this.#stale.size) {
      const wanted = [...this.#stale];
      this.#stale.clear();
      if (wanted.length === 1 && wanted[0]) await wanted[0].refresh();
      else await this.#fetchAll(wanted);
    }
    this.#fetching = false;
  }

  async #fetchAll(wanted: readonly Item[]): Promise<void> {
    try {
      const asks = new Map((await call<Ask[]>('GET', '/api/asks')).map((ask) => [ask.id, ask]));
      for (const item of wanted) {
        const ask = asks.get(item.id);
        if (ask) item.told(ask);
      }
    } catch (thrown) {
      for (const item of wanted) if (!item.ask) item.trouble = thrown;
    }
  }
}

const UNKNOWN: AskShort = {
  id: 0,
  kind: 'permission',
  agent_id: 0,
  session_id: '',
  title: '',
  opened_at: '',
  answerable: false,
  outcome: null,
  why: null,
};

function byAge(one: Item, other: Item): number {
  return one.short.opened_at.localeCompare(other.short.opened_at) || one.id - other.id;
}

export const queue = new Queue();
