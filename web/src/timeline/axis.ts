/** Where the axis has its marks: round moments of local time, none too close. Pure but for the time zone. */
import { type Scale, xOf } from './drawing';

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, DAY_MINUTES];
const APART = 68;

export interface Tick {
  at: number;
  x: number;
  label: string;
  midnight: boolean;
}

const clockTime = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });

export function ticks(scale: Scale): Tick[] {
  const perMinute = (scale.width * MINUTE) / (scale.to - scale.from);
  const step = STEPS.find((minutes) => minutes * perMinute >= APART) ?? DAY_MINUTES;
  const found: Tick[] = [];
  const first = new Date(scale.from);
  // Counted on the wall clock from midnight on: a day with a change of the hour has round hours too.
  for (let minutes = 0; ; minutes += step) {
    const at = new Date(first.getFullYear(), first.getMonth(), first.getDate(), 0, minutes).getTime();
    if (at > scale.to) return found;
    if (at < scale.from || at <= (found.at(-1)?.at ?? 0)) continue;
    const midnight = minutes % DAY_MINUTES === 0;
    found.push({ at, x: xOf(at, scale), label: (midnight ? day : clockTime).format(at), midnight });
  }
}
