/** Which stretch of time is looked at: how long, and whether it ends now or stays where it was put. */
import { kept } from '../kept.svelte';
import type { Stretch } from './bands';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const SHORTEST = 5 * MINUTE;
export const LONGEST = 24 * HOUR;
/** How far back one can go. */
const REACH = 14 * 24 * HOUR;
/** A little future, so that now is not at the edge. */
const LEAD = 0.02;

const span = kept('timeline.span', 4 * HOUR);

export class View {
  /** Where it ends; null: with now. */
  end: number | null = $state.raw(null);

  get span(): number {
    return Math.min(LONGEST, Math.max(SHORTEST, span.is));
  }

  get follows(): boolean {
    return this.end === null;
  }

  /** The stretch as of now. It moves by whole `steps`, so that a second that moves nothing draws nothing. */
  stretch(now: number, step = 1): Stretch {
    const end = this.end ?? Math.ceil((now + this.span * LEAD) / step) * step;
    return { from: end - this.span, to: end };
  }

  show(length: number): void {
    this.zoom(length / this.span, Date.now(), 1);
  }

  /** Make it longer or shorter; the moment that lies at `share` of the width stays there. */
  zoom(factor: number, now: number, share = 0.5): void {
    const { from } = this.stretch(now);
    const length = Math.min(LONGEST, Math.max(SHORTEST, this.span * factor));
    const fixed = from + this.span * share;
    const followed = this.follows;
    span.is = length;
    if (!followed || share < 0.9) this.#endAt(fixed + length * (1 - share), now);
  }

  /** Look at a stretch, with some room around it. */
  lookAt({ from, to }: Stretch, now: number): void {
    const length = Math.min(LONGEST, Math.max(SHORTEST, (to - from) * 1.5));
    span.is = length;
    this.#endAt((from + to) / 2 + length / 2, now);
  }

  pan(ms: number, now: number): void {
    this.#endAt(this.stretch(now).to + ms, now);
  }

  follow(): void {
    this.end = null;
  }

  #endAt(end: number, now: number): void {
    const latest = now + this.span * LEAD;
    this.end = end >= latest - 1 ? null : Math.max(end, now - REACH + this.span);
  }
}
