/** How agents stood over time: bands, what they come to, and which one is meant. Pure; times are epoch ms. */
import type { Card, Standing } from '../api/shapes';
import { STANDINGS } from '../standings';
import { lastPart } from '../text';

/** As `GET /api/timeline` tells it. */
export interface TimelineTold {
  since: string;
  until: string;
  agents: { agent_id: number; name: string; project: string; bands: { from: string; to: string | null; standing: string }[] }[];
}

export interface Band {
  from: number;
  to: number;
  standing: Standing;
}

/** One agent's bands, in order and without gaps. */
export interface Lane {
  id: number;
  name: string;
  project: string;
  bands: Band[];
}

export interface Stretch {
  from: number;
  to: number;
}

/** What was told of a stretch of time. */
export interface Past extends Stretch {
  lanes: Lane[];
}

export function pastOf(told: TimelineTold): Past {
  const to = Date.parse(told.until);
  const lanes = told.agents.map((agent) => ({
    id: agent.agent_id,
    name: agent.name,
    project: agent.project,
    bands: agent.bands.map((band) => ({
      from: Date.parse(band.from),
      to: band.to === null ? to : Date.parse(band.to),
      standing: band.standing as Standing,
    })),
  }));
  return { from: Date.parse(told.since), to, lanes };
}

/**
 * The past brought up to the present by the cards of the board: bands grow, a standing that changed since
 * begins a new one, and who came since has a lane. The next asking puts right what this cannot know.
 */
export function brought(past: Past, cards: ReadonlyMap<number, Card>, now: number): Lane[] {
  const known = new Set(past.lanes.map(({ id }) => id));
  const newcomers = [...cards.values()].filter((card) => !known.has(card.id) && card.standing !== 'closed');
  return [
    ...past.lanes.map((lane) => broughtLane(lane, past.to, cards.get(lane.id), now)),
    ...newcomers.map((card) => newcomer(card, now)).filter((lane) => lane.bands.length),
  ];
}

function broughtLane(lane: Lane, until: number, card: Card | undefined, now: number): Lane {
  const last = lane.bands.at(-1);
  if (!last || last.to < until) return lane;
  if (!card || card.standing === last.standing) {
    return { ...lane, name: card?.name ?? lane.name, bands: [...lane.bands.slice(0, -1), { ...last, to: Math.max(now, last.to) }] };
  }
  const since = card.since ? Date.parse(card.since) : until;
  const change = since > last.from ? Math.min(since, now) : until;
  return {
    ...lane,
    name: card.name,
    bands: [...lane.bands.slice(0, -1), { ...last, to: change }, { from: change, to: Math.max(now, change), standing: card.standing }],
  };
}

function newcomer(card: Card, now: number): Lane {
  const from = card.since ? Date.parse(card.since) : now;
  const bands = from < now ? [{ from, to: now, standing: card.standing }] : [];
  return { id: card.id, name: card.name, project: card.cwd, bands };
}

/** Whether anything but closed is in this stretch: who was away all the time needs no lane. */
export function livedIn(lane: Lane, { from, to }: Stretch): boolean {
  return lane.bands.some((band) => band.standing !== 'closed' && band.from < to && band.to > from);
}

export interface Project {
  path: string;
  title: string;
  lanes: Lane[];
}

/** By project, each in an order that does not change while one looks. */
export function byProject(lanes: readonly Lane[]): Project[] {
  const projects = new Map<string, Project>();
  for (const lane of lanes) {
    const project = projects.get(lane.project) ?? { path: lane.project, title: lastPart(lane.project) || 'unknown', lanes: [] };
    project.lanes.push(lane);
    projects.set(lane.project, project);
  }
  for (const project of projects.values()) project.lanes.sort((one, other) => one.id - other.id);
  return [...projects.values()].sort((one, other) => one.title.localeCompare(other.title) || one.path.localeCompare(other.path));
}

/** How long in each standing, within a stretch. */
export type Totals = Record<Standing, number>;

export function totalsOf(bands: readonly Band[], { from, to }: Stretch): Totals {
  const totals = Object.fromEntries(STANDINGS.map((each) => [each, 0])) as Totals;
  for (const band of bands) {
    totals[band.standing] += Math.max(0, Math.min(band.to, to) - Math.max(band.from, from));
  }
  return totals;
}

export const timeRunning = (totals: Totals): number => totals.running + totals.starting;
export const timeWaiting = (totals: Totals): number => totals.awaiting_approval + totals.awaiting_input;

/**
 * Which band is meant by pointing at a moment. One that is too narrow to hit counts from `slack` away,
 * before the wide one beside it.
 */
export function bandAt(bands: readonly Band[], moment: number, slack = 0): Band | null {
  const near = bands.filter((band) => band.from <= moment + slack && band.to >= moment - slack);
  const narrow = near.filter((band) => band.to - band.from < 2 * slack).sort((one, other) => weight(one) - weight(other));
  return narrow[0] ?? near.find((band) => band.from <= moment && moment <= band.to) ?? near[0] ?? null;
}

/** Who wants attention comes first. */
export function weight({ standing }: Pick<Band, 'standing'>): number {
  const found = STANDINGS.indexOf(standing);
  return found < 0 ? STANDINGS.length : found;
}
