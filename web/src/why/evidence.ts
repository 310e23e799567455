/** The evidence in a person's words: what decided, and who says otherwise. Pure. */
import type { Standing, Why } from '../api/shapes';

export type Signed = Why['evidence'][number];

const SOURCES: Record<string, { name: string; is: string }> = {
  process: { name: 'Process', is: 'whether the client’s process lives' },
  registry: { name: 'Registry', is: 'the file in which the client says what it does' },
  hook: { name: 'Hooks', is: 'what the client told as it happened' },
  transcript: { name: 'Transcript', is: 'what the client wrote down' },
  turn: { name: 'Last turn', is: 'how the last turn ended' },
  tool: { name: 'Tool call', is: 'calls that have begun and not ended' },
  screen: { name: 'Screen', is: 'what the terminal shows' },
  run: { name: 'turnkeeper run', is: 'clients that Turnkeeper started' },
};

export function sourceOf(signal: Signed): { name: string; is: string } {
  return SOURCES[signal.source] ?? { name: signal.source, is: '' };
}

/** What decided: the first that is believed, best first. That a process lives decides nothing yet. */
export function decisive(evidence: readonly Signed[]): Signed | null {
  const believed = evidence.filter((each) => each.believed);
  return believed.find((each) => !isAlive(each)) ?? believed[0] ?? null;
}

type Class = 'running' | 'rest' | 'waiting' | 'gone';

const CLASS_OF_STATUS: Partial<Record<string, Class>> = {
  starting: 'running',
  running: 'running',
  idle: 'rest',
  error: 'rest',
  awaiting_input: 'waiting',
  awaiting_approval: 'waiting',
  closed: 'gone',
} satisfies Record<Standing, Class>;

const CLASS_OF_WORDS: Partial<Record<string, Class>> = {
  running: 'running',
  busy: 'running',
  'at rest': 'rest',
  idle: 'rest',
  shell: 'rest',
  waiting: 'waiting',
};

/** What these said was true once; what is not believed of it any more has been overtaken. */
const PASSING = new Set(['turn', 'tool', 'process']);

/** `agrees`: it is not what the judgement rests on, and it says the same. `over`: that was before. */
export type Credit = 'believed' | 'agrees' | 'over' | 'not believed';

export function creditOf(signal: Signed, status: string): Credit {
  if (signal.believed) return 'believed';
  if (PASSING.has(signal.source)) return 'over';
  const held = CLASS_OF_STATUS[status];
  return held !== undefined && CLASS_OF_WORDS[signal.says] === held ? 'agrees' : 'not believed';
}

/** Those who are not believed and say something else. */
export function dissenters({ evidence, status }: Pick<Why, 'evidence' | 'status'>): Signed[] {
  return evidence.filter((each) => creditOf(each, status) === 'not believed');
}

function isAlive(signal: Signed): boolean {
  return signal.source === 'process' && signal.says === 'alive';
}
