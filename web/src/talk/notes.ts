/** Turns that nobody typed or said: what each is, in a word and a line. Pure. */
import type { Turn } from '../api/shapes';
import { oneLine } from '../text';

export interface Note {
  word: string;
  line: string;
  /** Whether the rest is worth unfolding. */
  more: boolean;
  /** Whether something went wrong. */
  bad: boolean;
}

export function noteOf(turn: Turn): Note {
  const { kind, text } = turn;
  switch (kind) {
    case 'injected':
      return { word: 'Background', line: oneLine(inside(text, 'summary') || text, 200), more: true, bad: false };
    case 'slash':
      return { word: 'You', line: slashOf(text), more: false, bad: false };
    case 'summary':
      return { word: 'Compacted', line: 'the conversation goes on from a summary', more: true, bad: false };
    case 'notice':
      return { word: 'Client', line: oneLine(text, 400), more: text.length > 400, bad: /error/i.test(text.slice(0, 200)) };
    default:
      return { word: oneLine(kind, 30), line: oneLine(text, 200), more: text.length > 200, bad: false };
  }
}

/** What stands between two marks of the client. */
function inside(text: string, mark: string): string {
  const from = text.indexOf(`<${mark}>`);
  const to = text.indexOf(`</${mark}>`, from);
  return from < 0 || to < 0 ? '' : text.slice(from + mark.length + 2, to).trim();
}

function slashOf(text: string): string {
  const name = inside(text, 'command-name');
  return oneLine(name ? `${name} ${inside(text, 'command-args')}` : text, 200);
}
