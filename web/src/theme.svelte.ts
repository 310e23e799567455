import { kept } from './kept.svelte';

export type Theme = 'auto' | 'light' | 'dark';
const ORDER: Theme[] = ['auto', 'light', 'dark'];

const chosen = kept<Theme>('theme', 'auto');

export const theme = {
  get is(): Theme {
    return chosen.is;
  },
  /** Take the next of auto, light, dark. */
  turn(): void {
    chosen.is = ORDER[(ORDER.indexOf(chosen.is) + 1) % ORDER.length] ?? 'auto';
    show();
  },
};

/** The styles look at the root: without the mark, the system decides. */
export function show(): void {
  if (chosen.is === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen.is;
}
