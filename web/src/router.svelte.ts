/** Which page is shown: what follows `#` in the address. The daemon never sees it. */

export type Route =
  | { page: 'board' }
  | { page: 'agent'; id: string; turn?: string }
  | { page: 'why'; id: string }
  | { page: 'ask'; id: string }
  | { page: 'timeline' }
  | { page: 'cost' }
  | { page: 'search' }
  | { page: 'unknown'; path: string };

type Place = { route: Route; query: URLSearchParams };

function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  return { route: routeOf(path), query: new URLSearchParams(query) };
}

function routeOf(path: string): Route {
  const parts = path.split('/').filter(Boolean).map(decoded);
  const [first, id, rest, ...more] = parts;
  if (first === undefined) return { page: 'board' };
  if (first === 'agents' && id !== undefined && rest === 'turns' && more.length === 1) return { page: 'agent', id, turn: more[0] };
  if (!more.length && id !== undefined) {
    if (first === 'agents' && rest === undefined) return { page: 'agent', id };
    if (first === 'agents' && rest === 'why') return { page: 'why', id };
    if (first === 'asks' && rest === undefined) return { page: 'ask', id };
  }
  if (id === undefined && (first === 'timeline' || first === 'cost' || first === 'search')) return { page: first };
  return { page: 'unknown', path };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

class Router {
  #place: Place = $state.raw(placeOf(location.hash));

  constructor() {
    addEventListener('hashchange', () => (this.#place = placeOf(location.hash)));
  }

  get route(): Route {
    return this.#place.route;
  }

  /** What follows `?` within the hash: `#/search?words=tax`. */
  get query(): URLSearchParams {
    return this.#place.query;
  }

  /** Change the query in place: no new entry in the browser's history. */
  setQuery(changes: Record<string, string | null>): void {
    const [path = ''] = location.hash.split('?', 1);
    const query = new URLSearchParams(this.#place.query);
    for (const [name, value] of Object.entries(changes)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    const said = query.toString();
    history.replaceState(null, '', `${path || '#/'}${said ? `?${said}` : ''}`);
    this.#place = placeOf(location.hash);
  }
}

export const router = new Router();

export const linkTo = {
  board: '#/',
  agent: (id: number | string) => `#/agents/${id}`,
  turn: (id: number | string, position: number) => `#/agents/${id}/turns/${position}`,
  why: (id: number | string) => `#/agents/${id}/why`,
  ask: (id: number | string) => `#/asks/${id}`,
  timeline: '#/timeline',
  cost: '#/cost',
  search: '#/search',
  searchFor: (words: string, agent: number | string) => `#/search?${new URLSearchParams({ words, agent: String(agent) })}`,
};
