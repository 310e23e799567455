/**
 * A conversation as a list of rows: a call and its result are one, a sub-agent's turns are folded under a
 * head, and quiet rows mark where a day, a session or a command begins. Pure.
 */
import type { Turn } from '../api/shapes';
import { taskOf } from './tools';

/** What all rows have: a name, and the command they belong to. */
interface Common {
  key: string;
  command: number | null;
}

export type Day = Common & { is: 'day'; at: string };
export type Session = Common & { is: 'session'; session: string };
export type Command = Common & { is: 'command'; id: number; asked: Turn | undefined; calls: number; last: Turn | undefined };
export type Said = Common & { is: 'said'; turn: Turn; within: string };
export type Call = Common & { is: 'call'; call: Turn | undefined; result: Turn | undefined; within: string };
export type Thread = Common & { is: 'thread'; thread: string; title: string; kind: string; turns: readonly Turn[] };
export type Row = Day | Session | Command | Said | Call | Thread;

export function threadKey(thread: string): string {
  return `thread ${thread}`;
}

/** The rows of these turns. `open` tells of a key whether somebody has unfolded it. */
export function rowsOf(turns: readonly Turn[], open: (key: string) => boolean): Row[] {
  return new Arranging(turns, open).rows;
}

/** `2026-11-16T05:4`: no day begins anywhere within it, and reading dates is slow. */
const TEN_MINUTES = 15;

class Arranging {
  readonly rows: Row[] = [];
  #calls = new Set<string>();
  #results = new Map<string, Turn>();
  #threads = new Map<string, Turn[]>();
  #tasks: NonNullable<ReturnType<typeof taskOf>>[] = [];
  #asked = new Map<number, Turn>();
  #day = '';
  #minutes = '';
  #session = '';
  #command: Command | null = null;
  #commandId: number | null = null;

  constructor(
    turns: readonly Turn[],
    readonly open: (key: string) => boolean,
  ) {
    for (const turn of turns) this.#learn(turn);
    const begun = new Set<string>();
    for (const turn of turns) {
      if (!turn.thread) this.#add(turn);
      else if (!begun.has(turn.thread)) {
        begun.add(turn.thread);
        this.#addThread(turn.thread);
      }
    }
  }

  #learn(turn: Turn): void {
    if (turn.command_id === turn.position) this.#asked.set(turn.position, turn);
    if (turn.kind === 'tool' && turn.call) {
      if (turn.actor === 'user') this.#results.set(turn.call, turn);
      else this.#calls.add(turn.call);
      const task = turn.actor === 'agent' ? taskOf(turn) : null;
      if (task) this.#tasks.push(task);
    }
    if (!turn.thread) return;
    const told = this.#threads.get(turn.thread);
    if (told) told.push(turn);
    else this.#threads.set(turn.thread, [turn]);
  }

  #add(turn: Turn): void {
    if (this.#isAnswer(turn)) return;
    this.#addDay(turn);
    this.#addSession(turn);
    this.#addCommand(turn);
    this.#addTurn(turn, '');
    if (!this.#command) return;
    if (turn.kind === 'tool') this.#command.calls += 1;
    else if (turn.intent) this.#command.last = turn;
  }

  /** A result whose call is here is told with it. */
  #isAnswer(turn: Turn): boolean {
    return turn.kind === 'tool' && turn.actor === 'user' && turn.call !== null && this.#calls.has(turn.call);
  }

  #addTurn(turn: Turn, within: string): void {
    const common = { key: `turn ${turn.position}`, command: this.#commandId, within };
    if (turn.kind !== 'tool') {
      this.rows.push({ is: 'said', ...common, turn });
      return;
    }
    const isCall = turn.actor === 'agent';
    const result = isCall ? (turn.call ? this.#results.get(turn.call) : undefined) : turn;
    this.rows.push({ is: 'call', ...common, call: isCall ? turn : undefined, result });
  }

  #addThread(thread: string): void {
    const turns = this.#threads.get(thread) ?? [];
    const key = threadKey(thread);
    const begun = turns.find((turn) => turn.actor === 'user' && turn.kind === 'text');
    const task = begun && this.#tasks.find((each) => each.prompt.trim() === begun.text.trim());
    const { description: title = '', kind = '' } = task ?? {};
    this.rows.push({ is: 'thread', key, command: this.#commandId, thread, title, kind, turns });
    if (!this.open(key)) return;
    for (const turn of turns) if (!this.#isAnswer(turn)) this.#addTurn(turn, thread);
  }

  #addDay(turn: Turn): void {
    const minutes = turn.happened_at.slice(0, TEN_MINUTES);
    if (minutes === this.#minutes) return;
    this.#minutes = minutes;
    const day = new Date(turn.happened_at).toDateString();
    if (day === this.#day) return;
    this.#day = day;
    this.rows.push({ is: 'day', key: `day ${day}`, command: this.#commandId, at: turn.happened_at });
  }

  #addSession(turn: Turn): void {
    if (turn.session_id === this.#session) return;
    const first = !this.#session;
    this.#session = turn.session_id;
    if (first) return;
    const key = `session ${turn.session_id} ${turn.position}`;
    this.rows.push({ is: 'session', key, command: this.#commandId, session: turn.session_id });
  }

  /**
   * Where a command begins. Of one that began before what is loaded, nothing is drawn. Words decide: a call
   * that was heard of late is told with the command that ran by then.
   */
  #addCommand(turn: Turn): void {
    const id = turn.kind === 'tool' ? null : turn.command_id;
    if (id === null || id === this.#commandId) return;
    const first = this.#commandId === null && id !== turn.position;
    this.#commandId = id;
    this.#command = null;
    if (first) return;
    const key = `command ${id} ${turn.position}`;
    this.#command = { is: 'command', key, command: id, id, asked: this.#asked.get(id), calls: 0, last: undefined };
    this.rows.push(this.#command);
  }
}

/** Which row shows a turn; -1 if none does. */
export function rowOf(rows: readonly Row[], position: number): number {
  return rows.findIndex((row) => turnsOf(row).some((turn) => turn.position === position));
}

/** The turns that a row shows. A folded thread shows none of its own. */
export function turnsOf(row: Row): Turn[] {
  if (row.is === 'said') return [row.turn];
  if (row.is === 'call') return [row.call, row.result].filter((turn) => turn !== undefined);
  return [];
}
