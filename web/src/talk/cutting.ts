/** Long texts, cut and cut up. Some lines are megabytes, and a browser lays a line out as a whole. */
import { plain } from '../text';

export interface Cut {
  shown: string;
  /** Whether this is all of it. */
  whole: boolean;
}

/** The beginning of a text. What is only a little longer is not worth a button. */
export function cut(text: string, letters: number, lines: number): Cut {
  const beginning = plain(text.slice(0, letters * 2));
  const end = lineEnd(beginning, lines);
  if (text.length <= letters * 1.25 && lineEnd(beginning, lines * 1.25) === beginning.length) return { shown: beginning, whole: true };
  const shown = beginning.slice(0, Math.min(letters, end));
  return { shown, whole: shown.length >= beginning.trimEnd().length && text.length <= letters * 2 };
}

/** Where the nth line ends, or the text does. */
function lineEnd(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.length;
  }
  return at;
}

const PIECE = 16_000;

/** The text in pieces that a browser draws one by one, parted at ends of lines where there are any. */
export function pieces(text: string): string[] {
  const cutUp: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE >= text.length ? text.length : pieceEnd(text, at);
    cutUp.push(text.slice(at, end));
    at = end;
  }
  return cutUp;
}

function pieceEnd(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at + PIECE);
  if (line > at) return line + 1;
  const half = text.charCodeAt(at + PIECE - 1);
  const pair = half >= 0xd800 && half < 0xdc00; // do not part a letter that takes two places
  return at + PIECE - (pair ? 1 : 0);
}

/** `12 lines`, `1.2 MB`: how much there is, in the unit that says more. */
export function muchOf(text: string): string {
  const lines = text.split('\n', 10_000).length;
  if (text.length > 50_000) return text.length < 1_000_000 ? `${Math.round(text.length / 1000)} KB` : `${(text.length / 1_000_000).toFixed(1)} MB`;
  return lines > 1 ? `${lines.toLocaleString('en')} lines` : `${text.length.toLocaleString('en')} characters`;
}
