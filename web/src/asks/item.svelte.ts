/** One ask: what the daemon says of it, what a person has begun to say to it, and how it went. */
import { Refusal, call } from '../api';
import type { Answer, Ask, AskShort, Decision } from '../api/shapes';
import { dateAndTime, timeOfDay } from '../clock.svelte';
import { live } from '../live.svelte';
import { Draft, answersOf } from './draft.svelte';

const BY = 'the board';

/** How an ask came to its end, as far as this page is concerned. */
export interface End {
  how: 'mine' | 'elsewhere' | 'late';
  words: string;
}

/** Where asks stand: it hears when one is over, and when cards change their places. */
export interface Host {
  left(item: Item): void;
  moved(): void;
}

export class Item {
  readonly id: number;
  readonly draft = new Draft();
  short: AskShort = $state.raw() as AskShort;
  /** All of it, once it has come. */
  ask: Ask | null = $state.raw(null);
  /** What could be answered, also when it no longer can be. */
  offered: readonly Decision[] = $state.raw([]);
  sending: Decision | null = $state(null);
  end: End | null = $state.raw(null);
  /** Why it could not be fetched, or why an answer was not taken. */
  trouble: unknown = $state.raw(null);
  /** Whether a person wants to see all of it, though it is not yet its turn. */
  opened = $state(false);
  /** Whether somebody's cursor stood in one of its fields when it closed: keys go on coming there. */
  held = $state(false);

  #host: Host;

  constructor(short: AskShort, host: Host) {
    this.id = short.id;
    this.short = short;
    this.#host = host;
  }

  get open(): boolean {
    return this.end === null;
  }

  get muted(): boolean {
    return live.agents.get(this.short.agent_id)?.muted ?? false;
  }

  may(decision: Decision): boolean {
    return this.open && !this.sending && (this.ask?.decisions.includes(decision) ?? false);
  }

  /** Answer, and tell honestly what came of it. */
  async answer(decision: Decision): Promise<void> {
    if (!this.ask || !this.may(decision)) return;
    this.sending = decision;
    this.trouble = null;
    try {
      const told = await call<Ask>('POST', `/api/asks/${this.id}/answer`, this.#said(this.ask, decision));
      this.#close(told, { how: 'mine', words: told.why ?? 'Answered' });
    } catch (thrown) {
      await this.#refused(thrown);
    } finally {
      this.sending = null;
    }
  }

  #said(ask: Ask, decision: Decision): Answer {
    const takesWords = decision === 'deny' || decision === 'reject';
    const message = takesWords && this.draft.explaining ? this.draft.message.trim() : '';
    const answers = decision === 'answer' ? answersOf(ask.questions, this.draft) : {};
    return { decision, message, answers, by: BY };
  }

  async #refused(thrown: unknown): Promise<void> {
    this.sending = null;
    this.trouble = thrown;
    if (!(thrown instanceof Refusal)) return;
    if (thrown.status !== 409 && live.asks.has(this.id)) return;
    const { ask } = (thrown.body ?? {}) as { ask?: Ask };
    const now = ask ?? (await this.#fetched());
    if (!now) return;
    if (!now.outcome) return this.told(now);
    this.trouble = null;
    this.#close(now, { how: 'late', words: `Too late: ${endWords(now)}` });
  }

  /** The stream says that it is over: find out how. */
  async withdraw(): Promise<void> {
    if (this.end || this.sending) return;
    const now = await this.#fetched();
    if (now) this.told(now);
    else if (!this.sending) this.#close(this.ask, { how: 'elsewhere', words: 'It is over' });
  }

  #close(ask: Ask | null, end: End): void {
    this.ask = ask;
    if (this.end) return;
    this.end = end;
    this.#host.left(this);
  }

  /** It waits again: an answer was lost on its way. */
  async reopen(): Promise<void> {
    const now = await this.#fetched();
    if (!now || now.outcome) return;
    this.end = null;
    this.told(now);
    this.trouble = new Error('The answer did not reach the agent: it waits again');
  }

  async refresh(): Promise<void> {
    const ask = await this.#fetched();
    if (ask) this.told(ask);
  }

  async #fetched(): Promise<Ask | null> {
    try {
      return await call<Ask>('GET', `/api/asks/${this.id}`);
    } catch (thrown) {
      if (!this.ask) this.trouble = thrown;
      return null;
    }
  }

  /** Take in what the daemon says of it. An end is told with its reason at once, or cards would flicker. */
  told(ask: Ask): void {
    if (this.sending) return; // The answer to that tells more.
    if (ask.outcome) return this.#close(ask, { how: 'elsewhere', words: endWords(ask) });
    if (!this.ask) {
      this.#host.moved();
      this.trouble = null;
    }
    if (ask.decisions.length) this.offered = ask.decisions;
    this.ask = ask;
  }
}

/** Who ended it, how and when. */
export function endWords(ask: Ask): string {
  const at = ask.answer?.at ?? ask.closed_at;
  const today = at && new Date(at).toDateString() === new Date().toDateString();
  const when = at ? ` at ${today ? timeOfDay(at) : dateAndTime(at)}` : '';
  return `${ask.why ?? 'It is over'}${when}`;
}

/** Whether a closed ask holds words that were not sent, or the cursor. */
export function isKept(item: Item): boolean {
  return item.end !== null && item.end.how !== 'mine' && (item.held || item.draft.typed !== '');
}
