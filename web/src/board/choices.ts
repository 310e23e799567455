/** What this browser remembers of how the board is looked at. */
import { kept } from '../kept.svelte';
import type { Grouping } from './arranged';

export const grouping = kept<Grouping>('grouping', 'project');
export const showsHistory = kept('history', true);
