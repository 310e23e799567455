/** How somebody looks at a conversation: what is unfolded, what is marked, what is looked for. */
import { SvelteSet } from 'svelte/reactivity';
import type { Card } from '../api/shapes';
import { Fates } from './fates.svelte';
import { Find } from './find.svelte';

export class View {
  /** What is unfolded, by key. Kept here, because rows come and go as one scrolls. */
  readonly open = new SvelteSet<string>();
  readonly find = new Find();
  /** The turn that the address names. */
  marked: number | null = $state(null);
  card: Card | undefined = $state.raw();
  readonly fates: Fates;

  constructor(readonly agent: number) {
    this.fates = new Fates(agent);
  }

  toggle(key: string): void {
    if (!this.open.delete(key)) this.open.add(key);
  }
}
