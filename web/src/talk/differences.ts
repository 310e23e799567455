/** Two texts as lines that stayed, came and went. Fetched when the first edit is unfolded. */
import { diffLines } from 'diff';

export interface Line {
  is: 'same' | 'added' | 'removed' | 'skipped';
  text: string;
}

/** Unchanged lines that are kept on each side of a change. */
const AROUND = 3;
/** Texts that differ more than this are told as all gone and all new: the search for less takes too long. */
const PATIENCE = { maxEditLength: 3000, timeout: 60 };

export function differences(before: string, after: string): Line[] {
  const changes = diffLines(before, after, PATIENCE);
  if (!changes) return replaced(before, after);
  const lines = changes.flatMap(({ added, removed, value }) => linesOf(value, added ? 'added' : removed ? 'removed' : 'same'));
  return shortened(lines);
}

export function replaced(before: string, after: string): Line[] {
  return [...linesOf(before, 'removed'), ...linesOf(after, 'added')];
}

function linesOf(text: string, is: Line['is']): Line[] {
  if (!text) return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => ({ is, text: line }));
}

/** Without the long stretches in which nothing changed. */
function shortened(lines: Line[]): Line[] {
  const near = lines.map(() => false);
  lines.forEach((line, at) => {
    if (line.is === 'same') return;
    for (let other = at - AROUND; other <= at + AROUND; other++) if (other in near) near[other] = true;
  });
  const kept: Line[] = [];
  let skipped = 0;
  const tell = (): void => {
    if (skipped) kept.push({ is: 'skipped', text: `${skipped} unchanged ${skipped === 1 ? 'line' : 'lines'}` });
    skipped = 0;
  };
  lines.forEach((line, at) => {
    if (!near[at]) {
      skipped += 1;
      return;
    }
    tell();
    kept.push(line);
  });
  tell();
  return kept;
}
