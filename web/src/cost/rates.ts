/** A price as it is typed, and what is wrong with it. Pure. */
import type { Price } from '../api/shapes';

export const RATES = ['input', 'output', 'cache_read', 'cache_write'] as const;
export type Rate = (typeof RATES)[number];

export const RATE_WORDS: Record<Rate, string> = {
  input: 'Input',
  output: 'Output',
  cache_read: 'Cache read',
  cache_write: 'Cache write',
};

export type Typed = Record<Rate | 'model', string>;
export type Wrongs = Partial<Typed>;

const MOST = 1_000_000;

export function typedOf(price: Price | null, model = ''): Typed {
  const rate = (name: Rate): string => (price ? String(price[name]) : '');
  return { model: price?.model ?? model, input: rate('input'), output: rate('output'), cache_read: rate('cache_read'), cache_write: rate('cache_write') };
}

/** Everything that is wrong, each in words; empty if it can be sent. */
export function wrongsOf(typed: Typed): Wrongs {
  const wrongs: Wrongs = {};
  if (!typed.model.trim()) wrongs.model = 'Say how the model’s name begins, such as claude-opus-5.';
  if (typed.model.includes('/')) wrongs.model = 'A slash cannot be part of it. What stands before it is enough: it prices all that begins so.';
  for (const name of RATES) {
    const wrong = wrongOf(typed[name]);
    if (wrong) wrongs[name] = `${RATE_WORDS[name]}: ${wrong}`;
  }
  return wrongs;
}

function wrongOf(text: string): string | null {
  const number = numberOf(text);
  if (!text.trim()) return 'a price is missing; 0 if it costs nothing.';
  if (number === null) return `“${text.trim()}” is not a number of dollars.`;
  if (number < 0) return 'a price cannot be less than 0.';
  return number > MOST ? `a price cannot be more than ${MOST.toLocaleString('en')}.` : null;
}

/** `0.5` and `0,5` are the same. */
export function numberOf(text: string): number | null {
  const number = Number(text.trim().replace(',', '.'));
  return text.trim() && Number.isFinite(number) ? number : null;
}

export function ratesOf(typed: Typed): Record<Rate, number> {
  const rate = (name: Rate): number => numberOf(typed[name]) ?? 0;
  return { input: rate('input'), output: rate('output'), cache_read: rate('cache_read'), cache_write: rate('cache_write') };
}
