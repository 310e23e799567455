/** From when on it is counted. */
export type Since = 'today' | '24h' | '7d' | 'all';

export const SINCES: readonly { value: Since; word: string }[] = [
  { value: 'today', word: 'Today' },
  { value: '24h', word: '24 h' },
  { value: '7d', word: '7 d' },
  { value: 'all', word: 'All' },
];

export const SINCE_WORDS: Record<Since, string> = {
  today: 'today',
  '24h': 'in the last 24 hours',
  '7d': 'in the last 7 days',
  all: 'ever',
};

/** As the API takes it. A day begins at midnight where the browser is, not where the daemon is. */
export function sinceOf(since: Since): string | null {
  if (since === 'all') return null;
  return since === 'today' ? new Date(new Date().setHours(0, 0, 0, 0)).toISOString() : since;
}
