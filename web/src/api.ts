/**
 * Calls to the daemon: typed by its own description, refused in its own words.
 *
 *   const card = await get('/api/agents/{name}', { path: { name: 3 } });
 *   await call<Card>('POST', `/api/agents/${id}/mute`, { muted: true });   // not described yet
 */
import type { paths } from './api/types';
import type { Session } from './api/shapes';
import { plain } from './text';

type Method = 'get' | 'post' | 'put' | 'delete';
type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];
type Content<R> = R extends { content: { 'application/json': infer Body } } ? Body : unknown;
type Answered<P extends keyof paths, M extends Method> = paths[P] extends Record<M, { responses: infer R }>
  ? Content<R[keyof R & (200 | 201)]>
  : never;
/** So many of something are told by one call at most. */
export const LARGEST_PAGE = 1000;

type Query = Record<string, string | number | boolean | null | undefined>;

export interface Asked {
  path?: Record<string, string | number>;
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
}

/** A refusal: `message` says what is wrong, `hint` what to do next, `body` all that was answered. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    message: string,
    readonly hint: string,
    readonly body: unknown = null,
  ) {
    super(message);
    this.name = 'Refusal';
  }

  /** Nobody is logged in on this page (any more). */
  get loggedOut(): boolean {
    return this.status === 401;
  }
}

const outListeners = new Set<() => void>();

/** Hear when a call was refused because this browser is not logged in. */
export function onLoggedOut(listener: () => void): void {
  outListeners.add(listener);
}

export function get<P extends PathWith<'get'>>(path: P, asked: Asked = {}): Promise<Answered<P, 'get'>> {
  return call('GET', address(path, asked), undefined, asked.signal);
}

export function post<P extends PathWith<'post'>>(path: P, asked: Asked = {}): Promise<Answered<P, 'post'>> {
  return call('POST', address(path, asked), asked.body, asked.signal);
}

export function put<P extends PathWith<'put'>>(path: P, asked: Asked = {}): Promise<Answered<P, 'put'>> {
  return call('PUT', address(path, asked), asked.body, asked.signal);
}

function address(path: string, { path: names = {}, query = {} }: Asked): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(names[name])));
  return filled + queryOf(query);
}

export function queryOf(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length ? '?' + new URLSearchParams(given.map(([name, value]) => [name, String(value)])) : '';
}

let mark: Promise<string> | undefined;

/** Who this page is to the daemon. A refusal means: not logged in. */
export function session(): Promise<Session> {
  const asked = call<Session>('GET', '/api/session');
  mark = asked.then((told) => told.csrf);
  mark.catch(() => (mark = undefined));
  return asked;
}

/** Any call, for what the description does not hold yet. */
export async function call<T>(method: string, url: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await sent(method, url, body, signal);
  if (answer.ok) return (answer.status === 204 ? undefined : await answer.json()) as T;
  const refusal = await refusalOf(answer);
  if (refusal.error === 'CsrfMissing') mark = undefined;
  if (refusal.loggedOut) outListeners.forEach((listener) => listener());
  throw refusal;
}

async function sent(method: string, url: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (method !== 'GET') headers['X-Turnkeeper-Csrf'] = await theMark();
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const init: RequestInit = { method, headers, credentials: 'same-origin' };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal) init.signal = signal;
  try {
    return await fetch(url, init);
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new Refusal(0, 'Unreachable', 'Turnkeeper does not answer', 'Is it running? `turnkeeper status` tells.');
  }
}

async function theMark(): Promise<string> {
  if (!mark) await session();
  return (await mark) ?? '';
}

async function refusalOf(answer: Response): Promise<Refusal> {
  try {
    const told = (await answer.json()) as { error: string; message: string; hint?: string };
    return new Refusal(answer.status, told.error, told.message, told.hint ?? '', told);
  } catch {
    const words = `The daemon answered ${answer.status} and gave no reason`;
    return new Refusal(answer.status, 'Unexplained', words, '`turnkeeper logs` may have one.');
  }
}

/** What to tell a person about anything that was thrown. A message may repeat what somebody else said. */
export function inWords(thrown: unknown): { message: string; hint: string } {
  if (thrown instanceof Refusal) return { message: plain(thrown.message), hint: plain(thrown.hint) };
  return { message: plain(thrown instanceof Error ? thrown.message : String(thrown)), hint: '' };
}
