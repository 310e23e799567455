/** How the board is laid out: who is shown, in which group, in which order. Pure. */
import type { Card, Standing } from '../api/shapes';
import { STANDINGS, WORDS, byAttention, needsYou } from '../standings';
import { lastPart, oneLine } from '../text';

export type Grouping = 'project' | 'standing';

/** An agent with the forks that were made of it. */
export interface Family {
  card: Card;
  forks: Card[];
}

export interface Group {
  key: string;
  title: string;
  /** The whole path, for a project. */
  path: string;
  standing: Standing | null;
  families: Family[];
  /** How many families it has, also where fewer are drawn yet. */
  size: number;
}

export interface Arranged {
  groups: Group[];
  closed: Card[];
  shown: number;
  hidden: number;
}

export function arranged(cards: Iterable<Card>, grouping: Grouping, filter: string): Arranged {
  const all = [...cards];
  const fitting = all.filter((card) => fits(card, wordsOf(filter)));
  const open = fitting.filter((card) => card.standing !== 'closed');
  const closed = fitting.filter((card) => card.standing === 'closed').sort(lastHeardFirst);
  const groups = grouping === 'project' ? byProject(families(open)) : byStanding(families(open));
  for (const group of groups) group.size = group.families.length;
  return { groups, closed, shown: open.length, hidden: all.length - fitting.length };
}

/** The first groups, as far as so many families go. */
export function firstOf(groups: Group[], most: number): Group[] {
  const first = [];
  for (const group of groups) {
    if (most <= 0) break;
    first.push(group.size > most ? { ...group, families: group.families.slice(0, most) } : group);
    most -= group.size;
  }
  return first;
}

function wordsOf(filter: string): string[] {
  return filter.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether every word of the filter is somewhere on the card. */
function fits(card: Card, words: string[]): boolean {
  if (!words.length) return true;
  const said = [
    card.name,
    card.cwd,
    card.branch,
    card.host,
    card.model,
    card.session_id,
    WORDS[card.standing],
    card.command?.text ?? '',
    card.last_turn?.text ?? '',
    card.waiting_for ?? card.doing?.tool ?? '',
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => said.includes(word));
}

/** Forks go under the agent they were made of, while that one is on the board too. */
export function families(cards: Card[]): Family[] {
  const ofSession = new Map(cards.flatMap((card) => card.sessions.map((session) => [session, card] as const)));
  const forks = new Map<number, Card[]>();
  const roots: Card[] = [];
  for (const card of cards) {
    const parent = card.parent ? ofSession.get(card.parent) : undefined;
    if (parent && parent.id !== card.id && !parent.parent) forks.set(parent.id, [...(forks.get(parent.id) ?? []), card]);
    else roots.push(card);
  }
  return roots.map((card) => ({ card, forks: (forks.get(card.id) ?? []).sort(byAttention) })).sort(inOrder);
}

/** Whoever of a family wants most speaks for it. */
function inOrder(one: Family, other: Family): number {
  return byAttention(foremost(one), foremost(other));
}

export function foremost({ card, forks }: Family): Card {
  return [card, ...forks].sort(byAttention)[0] ?? card;
}

function byProject(all: Family[]): Group[] {
  const groups = new Map<string, Group>();
  for (const family of all) {
    const path = family.card.cwd;
    const group = groups.get(path) ?? { key: path, title: oneLine(lastPart(path)) || 'unknown', path: oneLine(path, 1000), standing: null, families: [], size: 0 };
    group.families.push(family);
    groups.set(path, group);
  }
  const wants = (group: Group): number => (group.families.some((family) => needsYou(foremost(family))) ? 0 : 1);
  return [...groups.values()].sort((one, other) => wants(one) - wants(other) || one.title.localeCompare(other.title));
}

function byStanding(all: Family[]): Group[] {
  return STANDINGS.map((standing) => ({
    key: standing,
    title: WORDS[standing],
    path: '',
    standing,
    families: all.filter((family) => foremost(family).standing === standing),
    size: 0,
  })).filter((group) => group.families.length);
}

function lastHeardFirst(one: Card, other: Card): number {
  return (other.last_at ?? '').localeCompare(one.last_at ?? '') || other.id - one.id;
}
