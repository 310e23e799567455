/** Looks for words in what is loaded, row by row. The words themselves are marked by the browser. */
import type { Turn } from '../api/shapes';
import { type Row, turnsOf } from './rows';
import { inputOf, wordsIn } from './tools';

export class Find {
  isOpen = $state(false);
  words = $state('');
  /** The key of the row one stands at. */
  now: string | null = $state(null);

  pattern: RegExp | null = $derived(this.isOpen && this.words.trim() ? patternOf(this.words.trim()) : null);

  /** The keys of the rows that hold the words, in order. */
  among(rows: readonly Row[]): string[] {
    const pattern = this.pattern;
    if (!pattern) return [];
    const raw = patternOf(JSON.stringify(this.words.trim()).slice(1, -1));
    return rows.filter((row) => turnsOf(row).some((turn) => holds(turn, pattern, raw))).map((row) => row.key);
  }

  close(): void {
    this.isOpen = false;
    this.now = null;
  }
}

function patternOf(words: string): RegExp {
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'), 'iu');
}

/** Inputs are JSON: they are read only where the words seem to be in them at all. */
function holds(turn: Turn, pattern: RegExp, raw: RegExp): boolean {
  if (turn.kind !== 'tool' || turn.actor === 'user') return pattern.test(turn.text);
  if (pattern.test(turn.tool ?? '')) return true;
  return (raw.test(turn.text) || pattern.test(turn.text)) && pattern.test(wordsIn(inputOf(turn)));
}

/** What must be unfolded so that the words in a row can be seen. */
export function hides(row: Row, pattern: RegExp): string[] {
  if (row.is === 'said') return [row.key, ...cutOff(row.key, row.turn.text, pattern)];
  if (row.is !== 'call') return [];
  const given = row.call ? Object.entries(inputOf(row.call)) : [];
  return [
    row.key,
    ...given.flatMap(([field, value]) => cutOff(`${row.key} ${field}`, wordsIn(value), pattern)),
    ...cutOff(`${row.key} output`, row.result?.text ?? '', pattern),
    ...given.flatMap((_, nth) => `all ${row.key} edit ${nth}`),
  ];
}

/** The name under which the rest of a text is shown, if the words are in the rest only. */
function cutOff(name: string, text: string, pattern: RegExp): string[] {
  return text.length > BEGINNING && !pattern.test(text.slice(0, BEGINNING)) && pattern.test(text) ? [`all ${name}`] : [];
}

/** So much of any text is shown without being asked for. */
const BEGINNING = 1000;

const ALL = 'found';
const HERE = 'found-now';
/** More marks than anybody counts; a text of a megabyte may hold as many as it has letters. */
const MOST = 2000;

/** Mark the words in what is drawn. Browsers without the highlight API show the rows alone. */
export function mark(root: HTMLElement, pattern: RegExp | null, now: Element | null): Range | null {
  if (!('highlights' in CSS)) return null;
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(HERE);
  if (!pattern) return null;
  const ranges = [...rangesIn(root, pattern)];
  const here = ranges.filter((range) => now?.contains(range.startContainer));
  CSS.highlights.set(ALL, new Highlight(...ranges.filter((range) => !now?.contains(range.startContainer))));
  CSS.highlights.set(HERE, new Highlight(...here));
  return here[0] ?? null;
}

export function unmark(): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(HERE);
}

function* rangesIn(root: HTMLElement, pattern: RegExp): Generator<Range> {
  const every = new RegExp(pattern.source, 'giu');
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    for (const found of node.data.matchAll(every)) {
      if (++count > MOST) return;
      const range = document.createRange();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      yield range;
    }
  }
}
