/** The audit trail: what was fetched and what came since, each once, the newest first. Pure. */
import type { Transition } from '../api/shapes';

export interface Line extends Transition {
  key: string;
}

export function trailOf(fetched: readonly Transition[], heard: readonly Transition[]): Line[] {
  const lines = new Map<string, Line>();
  for (const each of [...fetched, ...heard]) {
    const key = `${each.position} ${each.machine} ${each.command_id} ${each.from_state} ${each.to_state} ${each.event}`;
    lines.set(key, { ...each, key });
  }
  return [...lines.values()].reverse().sort(newestFirst);
}

function newestFirst(one: Transition, other: Transition): number {
  return other.at.localeCompare(one.at) || other.position - one.position;
}

/** Which machines speak, and how often, by name. */
export function machinesOf(lines: readonly Transition[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { machine } of lines) counts.set(machine, (counts.get(machine) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => one.localeCompare(other));
}
