/** Tokens and money as people read them. A cost is always an estimate, and says so. Pure. */
import type { Price, Spend } from '../api/shapes';

type Sums = Spend['total'];

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const exact = new Intl.NumberFormat('en');
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const mills = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', minimumFractionDigits: 3 });
/** Below this, one more digit is worth its place. */
const SMALL = 0.1;
const LEAST = 0.001;

export const tokens = (number: number): string => compact.format(number);
export const inFull = (number: number): string => exact.format(number);

function amountOf(amount: number): string {
  if (amount > 0 && amount < LEAST) return mills.format(LEAST);
  return (amount > 0 && amount < SMALL ? mills : dollars).format(amount);
}

/** `≈ $1.24`, `≈ $0.024`, `< $0.001`. */
export function money(amount: number): string {
  return `${amount > 0 && amount < LEAST ? '<' : '≈'} ${amountOf(amount)}`;
}

/** What is known of a cost: with tokens nobody has priced, only what it is at least. */
export function cost(sums: Pick<Sums, 'cost' | 'at_least' | 'unpriced'>): string {
  if (sums.cost !== null) return money(sums.cost);
  return sums.at_least ? `over ${amountOf(sums.at_least)}` : 'no price';
}

export const allTokens = (sums: Pick<Sums, 'input' | 'output' | 'cache_read' | 'cache_write'>): number =>
  sums.input + sums.output + sums.cache_read + sums.cache_write;

/** Which part of what the models were given came from the cache; null where nothing was given. */
export function cacheShare({ input, cache_read, cache_write }: Pick<Sums, 'input' | 'cache_read' | 'cache_write'>): number | null {
  const given = input + cache_read + cache_write;
  return given ? cache_read / given : null;
}

export const percent = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 100)} %`);

/** The price that names most of a model, as the daemon chooses it. */
export function priceOf(prices: readonly Price[], model: string): Price | null {
  const fitting = prices.filter((price) => model.startsWith(price.model));
  return fitting.sort((one, other) => other.model.length - one.model.length)[0] ?? null;
}

/** A model without what every name shares. */
export const shortModel = (model: string): string => model.replace(/^claude-/, '').replace(/-\d{8}$/, '');
