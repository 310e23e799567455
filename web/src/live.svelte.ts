/**
 * The board as it is now, from `/api/stream`.
 *
 * Events gather and are applied once per animation frame; cards are replaced, never changed, so only
 * those that differ are drawn again. Turns are not kept here: whoever shows them subscribes.
 */
import { Refusal, get, session } from './api';
import type { AgentGone, AskShort, Card, Snapshot, Transition, Turn, TurnMeant } from './api/shapes';

export type Connection =
  | { is: 'connecting' }
  | { is: 'live' }
  | { is: 'lost'; since: number; nextTry: number | null }
  | { is: 'out' };

export type TurnNews =
  | { is: 'created' | 'updated'; agent: number; turn: Turn }
  | { is: 'meant'; agent: number; meant: TurnMeant }
  /** Something may have been missed: ask for the turns again. */
  | { is: 'resync' };

type Told = { name: string; data: unknown };
type Hearer<T> = (news: T) => void;

const FIRST_RETRY = 500;
const LONGEST_RETRY = 15_000;
/** A timer that comes this late means that the machine slept, and the connection with it. */
const SLEPT = 20_000;
const PULSE = 5_000;
/** Silence after which we ask whether the daemon is there. The stream's own heartbeat is not shown to scripts. */
const SILENCE = 30_000;
const HIDDEN_FLUSH = 500;

const EVENTS = [
  'snapshot',
  'turn_created',
  'turn_updated',
  'turn_meant',
  'state_transition',
  'agent_updated',
  'agent_removed',
  'ask_opened',
  'ask_updated',
  'ask_closed',
  'lagged',
] as const;

class Live {
  /** Every agent by number, closed ones too. Replaced as a whole: read it in `$derived`. */
  agents: ReadonlyMap<number, Card> = $state.raw(new Map());
  /** Open asks by number, oldest first. */
  asks: ReadonlyMap<number, AskShort> = $state.raw(new Map());
  connection: Connection = $state.raw({ is: 'connecting' });
  /** True once a snapshot has come: before, an empty board says nothing. */
  known = $state(false);
  /** When the daemon was last heard (epoch ms): what is shown is as of then. */
  heardAt = $state.raw(0);

  #source: EventSource | undefined;
  #place = '';
  #queue: Told[] = [];
  #frame: number | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #pulsed = Date.now();
  #lastEvent = 0;
  #board = 0;
  #started = false;
  #turnHearers = new Map<number, Set<Hearer<TurnNews>>>();
  #transitionHearers = new Set<Hearer<Transition>>();
  #askHearers = new Set<Hearer<{ name: string; ask: AskShort }>>();

  start(): void {
    if (this.#started) return;
    this.#started = true;
    setInterval(() => this.#pulse(), PULSE);
    addEventListener('online', () => this.retryNow());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.connection.is !== 'live') this.retryNow();
    });
    this.#open();
  }

  /** Hear an agent's turns as they come. Hearing one twice must not matter: key them by position. */
  onTurns(agent: number, hearer: Hearer<TurnNews>): () => void {
    const hearers = this.#turnHearers.get(agent) ?? new Set();
    this.#turnHearers.set(agent, hearers.add(hearer));
    return () => {
      hearers.delete(hearer);
      if (!hearers.size) this.#turnHearers.delete(agent);
    };
  }

  onTransitions(hearer: Hearer<Transition>): () => void {
    this.#transitionHearers.add(hearer);
    return () => this.#transitionHearers.delete(hearer);
  }

  /** Hear ask_opened, ask_updated and ask_closed; `asks` is already what they make it. */
  onAsks(hearer: Hearer<{ name: string; ask: AskShort }>): () => void {
    this.#askHearers.add(hearer);
    return () => this.#askHearers.delete(hearer);
  }

  /** Put a card in place that a call has answered, ahead of the stream. */
  put(card: Card): void {
    this.agents = new Map(this.agents).set(card.id, card);
  }

  retryNow(): void {
    clearTimeout(this.#retry);
    this.#open();
  }

  /** This browser is not logged in (any more). */
  loggedOut(): void {
    this.#close();
    clearTimeout(this.#retry);
    this.connection = { is: 'out' };
  }

  #open(): void {
    this.#close();
    const from = this.#place && this.known ? `?last_event_id=${this.#place}` : '';
    const source = new EventSource(`/api/stream${from}`);
    this.#source = source;
    source.onopen = () => this.#opened();
    source.onerror = () => void this.#failed(source);
    for (const name of EVENTS) {
      source.addEventListener(name, (event: MessageEvent<string>) => this.#heard(name, event));
    }
  }

  #close(): void {
    this.#source?.close();
    this.#source = undefined;
  }

  #opened(): void {
    this.#tries = 0;
    this.#lastEvent = this.#pulsed = Date.now();
    this.heardAt = Date.now();
    this.connection = { is: 'live' };
  }

  /** We come back ourselves: browsers differ in whether, when and how often they would. */
  async #failed(source: EventSource): Promise<void> {
    if (source !== this.#source) return;
    this.#close();
    this.#lost();
    try {
      await session();
    } catch (thrown) {
      if (thrown instanceof Refusal && thrown.loggedOut) return this.loggedOut();
    }
    if (this.#source) return; // somebody has tried again meanwhile
    const wait = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** this.#tries++) * (0.8 + 0.4 * Math.random());
    this.#lost(Date.now() + wait);
    this.#retry = setTimeout(() => this.#open(), wait);
  }

  #lost(nextTry: number | null = null): void {
    const since = this.connection.is === 'lost' ? this.connection.since : Date.now();
    this.connection = { is: 'lost', since, nextTry };
  }

  /** Look after the connection: a machine that slept, or a line that is dead and does not say so. */
  #pulse(): void {
    const now = Date.now();
    const slept = now - this.#pulsed > SLEPT;
    this.#pulsed = now;
    if (this.connection.is !== 'live') return;
    if (slept) return this.retryNow();
    if (now - this.#lastEvent > SILENCE) void this.#ask();
    else this.heardAt = Math.max(this.heardAt, this.#lastEvent);
  }

  async #ask(): Promise<void> {
    const source = this.#source;
    try {
      const health = await get('/api/health');
      if (source !== this.#source) return;
      const moved = this.#board !== 0 && health.board > this.#board;
      this.#board = health.board;
      this.heardAt = Date.now();
      if (moved && Date.now() - this.#lastEvent > 2 * SILENCE) this.retryNow();
    } catch {
      if (source && source === this.#source) void this.#failed(source);
    }
  }

  #heard(name: string, event: MessageEvent<string>): void {
    if (event.lastEventId) this.#place = event.lastEventId;
    this.#lastEvent = Date.now();
    this.#queue.push({ name, data: JSON.parse(event.data) });
    if (name === 'snapshot' && !this.known) this.#flush();
    else this.#schedule();
  }

  #schedule(): void {
    if (this.#frame !== undefined) return;
    // A hidden page gets no frames, and still has a title to keep.
    this.#frame = document.hidden
      ? window.setTimeout(() => this.#flush(), HIDDEN_FLUSH)
      : requestAnimationFrame(() => this.#flush());
  }

  #flush(): void {
    this.#frame = undefined;
    const told = this.#queue;
    this.#queue = [];
    const agents = new Map(this.agents);
    const asks = new Map(this.asks);
    for (const each of told) apply(each, agents, asks);
    this.agents = agents;
    if (told.some(({ name }) => name === 'snapshot' || name.startsWith('ask_'))) this.asks = asks;
    if (told.some(({ name }) => name === 'snapshot')) this.known = true;
    this.heardAt = Date.now();
    for (const each of told) this.#tell(each);
  }

  #tell({ name, data }: Told): void {
    switch (name) {
      case 'turn_created':
      case 'turn_updated': {
        const { agent_id: agent, turn } = data as { agent_id: number; turn: Turn };
        return this.#tellTurn(agent, { is: name === 'turn_created' ? 'created' : 'updated', agent, turn });
      }
      case 'turn_meant': {
        const meant = data as TurnMeant;
        return this.#tellTurn(meant.agent_id, { is: 'meant', agent: meant.agent_id, meant });
      }
      case 'state_transition':
        return this.#transitionHearers.forEach((hearer) => hearer(data as Transition));
      case 'ask_opened':
      case 'ask_updated':
      case 'ask_closed':
        return this.#askHearers.forEach((hearer) => hearer({ name, ask: data as AskShort }));
      case 'snapshot':
        return this.#turnHearers.forEach((hearers) => hearers.forEach((hearer) => hearer({ is: 'resync' })));
    }
  }

  #tellTurn(agent: number, news: TurnNews): void {
    this.#turnHearers.get(agent)?.forEach((hearer) => hearer(news));
  }
}

/** What one event makes of the board. */
function apply({ name, data }: Told, agents: Map<number, Card>, asks: Map<number, AskShort>): void {
  switch (name) {
    case 'snapshot': {
      const told = data as Snapshot;
      agents.clear();
      asks.clear();
      for (const card of told.agents) agents.set(card.id, card);
      for (const ask of told.asks ?? []) asks.set(ask.id, ask);
      break;
    }
    case 'agent_updated': {
      const card = data as Card;
      agents.set(card.id, card);
      break;
    }
    case 'agent_removed':
      agents.delete((data as AgentGone).agent_id);
      break;
    case 'ask_opened':
    case 'ask_updated': {
      const ask = data as AskShort;
      asks.set(ask.id, ask);
      break;
    }
    case 'ask_closed':
      asks.delete((data as AskShort).id);
      break;
  }
}

export const live = new Live();
