/**
 * What a tool would be given, to the letter. Elsewhere on the board unseen characters are left out;
 * whoever is to allow a command must see them.
 */

/** A piece of a text, or the names of characters in it that do not show. */
export interface Piece {
  text: string;
  odd: boolean;
}

/** Control characters, marks that turn the order of letters, and what has no width or only looks like a space. */
const ODD =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]+/gu;
/** Within an emoji, a joiner is no trick. */
const JOINED = /(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})/gu;
const MOST_MARKS = 500;

export function pieces(text: string): Piece[] {
  const joiners = new Set([...text.matchAll(JOINED)].map((match) => match.index));
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(ODD)) {
    if (match[0].length === 1 && joiners.has(match.index)) continue;
    if (found.length > 2 * MOST_MARKS) break;
    if (match.index > from) found.push({ text: text.slice(from, match.index), odd: false });
    found.push({ text: names(match[0]), odd: true });
    from = match.index + match[0].length;
  }
  const rest = text.slice(from);
  if (rest) found.push({ text: found.length > 2 * MOST_MARKS ? rest.replace(ODD, names) : rest, odd: false });
  return found;
}

/** Whether a text holds characters that do not show. */
export function isOdd(text: string): boolean {
  return text.replace(JOINED, '').search(ODD) >= 0;
}

function names(characters: string): string {
  return [...characters].map(name).join('');
}

function name(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** A long text's beginning and end: what is dangerous often comes last. */
export interface Folded {
  head: string;
  tail: string;
  hidden: string;
}

const FEW_LINES = 14;
const FEW_CHARACTERS = 1_400;

export function folded(text: string): Folded | null {
  const lines = text.split('\n');
  if (lines.length <= FEW_LINES && text.length <= FEW_CHARACTERS) return null;
  const head = cut(lines.slice(0, FEW_LINES - 4).join('\n'), FEW_CHARACTERS - 400);
  const tail = cutStart(lines.slice(-3).join('\n'), 300);
  const between = text.length - head.length - tail.length;
  if (between < 80) return null;
  const more = lines.length - head.split('\n').length - tail.split('\n').length;
  return { head, tail, hidden: more > 1 ? `${more.toLocaleString('en')} lines` : `${between.toLocaleString('en')} characters` };
}

/** The beginning of a text; no character is cut in two. */
export function cut(text: string, most: number): string {
  const part = text.slice(0, most);
  return /[\ud800-\udbff]$/.test(part) ? part.slice(0, -1) : part;
}

function cutStart(text: string, most: number): string {
  const part = text.slice(-most);
  return /^[\udc00-\udfff]/.test(part) ? part.slice(1) : part;
}
