/** Bands as shapes: a height and a pattern for each standing, one path for all bands that stand the same. */
import type { Standing } from '../api/shapes';
import { STANDINGS } from '../standings';
import { type Band, type Stretch, weight } from './bands';

export interface Scale extends Stretch {
  width: number;
}

export const HEIGHT = 22;

/** Top and height within a lane. What waits for a person is tallest; what rests is a line. */
export const FORM: Record<Standing, { y: number; h: number }> = {
  awaiting_approval: { y: 0.5, h: 21 },
  awaiting_input: { y: 0.5, h: 21 },
  error: { y: 0.5, h: 21 },
  running: { y: 3, h: 16 },
  starting: { y: 6.5, h: 9 },
  idle: { y: 9, h: 4 },
  closed: { y: 10, h: 2 },
};

/** The narrowest that is drawn: less is not seen. */
const LEAST = 1.5;

export const xOf = (moment: number, { from, to, width }: Scale): number => ((moment - from) / (to - from)) * width;
export const momentOf = (x: number, { from, to, width }: Scale): number => from + (x / width) * (to - from);

interface Drawn {
  x: number;
  end: number;
  standing: Standing;
}

/** Where each band lies. Bands narrower than can be seen are drawn as one, by whoever of them wants most. */
export function drawn(bands: readonly Band[], scale: Scale): Drawn[] {
  const all: (Drawn & { narrow: boolean })[] = [];
  for (const band of bands) {
    if (band.to <= scale.from || band.from >= scale.to) continue;
    const x = Math.max(0, xOf(band.from, scale));
    const end = Math.min(scale.width, xOf(band.to, scale));
    const narrow = end - x < LEAST;
    const last = all.at(-1);
    if (narrow && last?.narrow && end - last.x < LEAST * 2) {
      last.end = Math.max(last.end, end);
      if (weight(band) < weight(last)) last.standing = band.standing;
    } else {
      all.push({ x, end: narrow ? Math.min(scale.width, x + LEAST) : end, standing: band.standing, narrow });
    }
  }
  return all;
}

/** One path for each standing, those that want attention last and so on top. */
export function pathsOf(bands: readonly Band[], scale: Scale): { standing: Standing; d: string }[] {
  const parts = new Map<Standing, string[]>();
  for (const { x, end, standing } of drawn(bands, scale)) {
    const { y, h } = FORM[standing] ?? FORM.closed;
    const box = `M${round(x)} ${y}h${round(end - x)}v${h}h${round(x - end)}z`;
    parts.set(standing, [...(parts.get(standing) ?? []), box]);
  }
  return [...STANDINGS].reverse().flatMap((standing) => {
    const boxes = parts.get(standing);
    return boxes ? [{ standing, d: boxes.join('') }] : [];
  });
}

const round = (number: number): number => Math.round(number * 100) / 100;
