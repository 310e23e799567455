/** A unified diff as lines to show. */

export interface Line {
  is: 'same' | 'added' | 'removed' | 'gap';
  text: string;
  /** The part that differs from the line it replaces. */
  from: number;
  to: number;
}

export interface Change {
  lines: Line[];
  added: number;
  removed: number;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const SIGNS: Record<string, Line['is']> = { '+': 'added', '-': 'removed', ' ': 'same' };

/** Read a diff. How many lines a hunk has is said in its head, so a removed `-- x` is no file's name. */
export function changeOf(diff: string): Change {
  const lines: Line[] = [];
  let [old, now] = [0, 0];
  for (const raw of diff.split('\n')) {
    const hunk = HUNK.exec(raw);
    if (old <= 0 && now <= 0) {
      if (!hunk) continue;
      [old, now] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      if (lines.length) lines.push(line('gap', ''));
      continue;
    }
    const is = SIGNS[raw[0] ?? ' '] ?? 'same';
    if (is !== 'added') old -= 1;
    if (is !== 'removed') now -= 1;
    lines.push(line(is, raw.slice(1)));
  }
  compare(lines);
  const count = (is: Line['is']): number => lines.filter((each) => each.is === is).length;
  return { lines, added: count('added'), removed: count('removed') };
}

function line(is: Line['is'], text: string): Line {
  return { is, text, from: 0, to: 0 };
}

/** Find what differs within lines that replace as many others. */
function compare(lines: Line[]): void {
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, 'removed');
    const added = run(lines, at + removed, 'added');
    if (removed && removed === added) {
      for (let nth = 0; nth < removed; nth += 1) differ(lines[at + nth], lines[at + removed + nth]);
    }
    at += Math.max(1, removed + added);
  }
}

function run(lines: readonly Line[], from: number, is: Line['is']): number {
  let end = from;
  while (lines[end]?.is === is) end += 1;
  return end - from;
}

function differ(one: Line | undefined, other: Line | undefined): void {
  if (!one || !other) return;
  const shortest = Math.min(one.text.length, other.text.length);
  let [start, end] = [0, 0];
  while (start < shortest && one.text[start] === other.text[start]) start += 1;
  while (end < shortest - start && one.text.at(-1 - end) === other.text.at(-1 - end)) end += 1;
  const alike = (start + end) / Math.max(one.text.length, other.text.length, 1);
  if (alike < 0.3) return;
  for (const each of [one, other]) [each.from, each.to] = [start, each.text.length - end];
}
