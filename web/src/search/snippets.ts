/** A snippet in pieces: what was found, and what stands around it. Pure. */
import { plain } from '../text';

export interface Piece {
  text: string;
  found: boolean;
}

/** Highlights are places in characters as people count them; a script counts some of them twice. */
export function piecesOf(snippet: string, highlights: readonly (readonly number[])[]): Piece[] {
  const letters = Array.from(snippet);
  const pieces: Piece[] = [];
  let at = 0;
  const add = (to: number, found: boolean): void => {
    if (to > at) pieces.push({ text: plain(letters.slice(at, to).join('')), found });
    at = Math.max(at, to);
  };
  for (const [from = 0, to = 0] of highlights) {
    add(from, false);
    add(to, true);
  }
  add(letters.length, false);
  return pieces;
}
