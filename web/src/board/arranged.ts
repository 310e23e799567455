/**
 * How the board is laid out: who is shown, in which group, in which order. Pure. What has not changed is
 * the same object as before, so that of two hundred agents only those are drawn anew who are told of.
 */
import type { Card, Standing } from '../api/shapes';
import { STANDINGS, WORDS, byAttention, needsYou } from '../standings';
import { lastPart, oneLine } from '../text';

const ALPHABET = new Intl.Collator();

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
}

/** `before` is what it was when this was last asked. */
export function arranged(cards: Iterable<Card>, grouping: Grouping, filter: string, before: readonly Group[]): Arranged {
  const all = [...cards];
  const words = wordsOf(filter);
  const fitting = words.length ? all.filter((card) => fits(card, words)) : all;
  const open = fitting.filter((card) => card.standing !== 'closed');
  const closed = fitting.filter((card) => card.standing === 'closed').sort(lastHeardFirst);
  const groups = grouping === 'project' ? byProject(families(open)) : byStanding(families(open));
  return { groups: kept(groups, before), closed, shown: open.length };
}

function kept(groups: Group[], before: readonly Group[]): Group[] {
  const known = new Map(before.map((group) => [group.key, group]));
  return groups.map((group) => {
    const old = known.get(group.key);
    return old && sameFamilies(old.families, group.families) ? old : group;
  });
}

function sameFamilies(some: Family[], others: Family[]): boolean {
  return some.length === others.length && some.every((family, at) => sameFamily(family, others[at]));
}

function sameFamily(one: Family, other: Family | undefined): boolean {
  if (one === other) return true;
  if (one.card !== other?.card || one.forks.length !== other.forks.length) return false;
  return one.forks.every((fork, at) => fork === other.forks[at]);
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
  return roots.map((card) => family(card, forks.get(card.id))).sort(inOrder);
}

const alone = new WeakMap<Card, Family>();

function family(card: Card, forks: Card[] | undefined): Family {
  if (forks) return { card, forks: forks.sort(byAttention) };
  const known = alone.get(card) ?? { card, forks: [] };
  alone.set(card, known);
  return known;
}

/** Whoever of a family wants most speaks for it. */
function inOrder(one: Family, other: Family): number {
  return byAttention(foremost(one), foremost(other));
}

export function foremost({ card, forks }: Family): Card {
  return forks.reduce((first, fork) => (byAttention(fork, first) < 0 ? fork : first), card);
}

function byProject(all: Family[]): Group[] {
  const wants = (families: Family[]): number => (families.some((family) => needsYou(foremost(family))) ? 0 : 1);
  return [...Map.groupBy(all, ({ card }) => card.cwd)]
    .map(([path, families]) => ({ project: project(path, families), wants: wants(families) }))
    .sort((one, other) => one.wants - other.wants || ALPHABET.compare(one.project.title, other.project.title))
    .map(({ project }) => project);
}

function project(path: string, families: Family[]): Group {
  const title = oneLine(lastPart(path)) || 'unknown';
  return { key: path, title, path: oneLine(path, 1000), standing: null, families, size: families.length };
}

function byStanding(all: Family[]): Group[] {
  const standings = Map.groupBy(all, (family) => foremost(family).standing);
  return STANDINGS.filter((standing) => standings.has(standing)).map((standing) => {
    const families = standings.get(standing) ?? [];
    return { key: standing, title: WORDS[standing], path: '', standing, families, size: families.length };
  });
}

function lastHeardFirst(one: Card, other: Card): number {
  const [first, second] = [one.last_at ?? '', other.last_at ?? ''];
  return first === second ? other.id - one.id : first < second ? 1 : -1;
}
