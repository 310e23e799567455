/**
 * Words of agents, tools and file names, made fit to show. Svelte escapes markup; this takes out what
 * escaping leaves: terminal codes, control characters, and marks that turn the order of letters around.
 */

const TERMINAL = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text without terminal codes, control characters and bidi marks; its lines stay. */
export function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(TERMINAL, '').replace(CONTROL, '').replace(TURNING, '');
}

/** The beginning of a text as one line. Cut first: some lines are megabytes. */
export function oneLine(text: string, most = 280): string {
  const line = plain(text.slice(0, most * 4)).replace(/\s+/g, ' ').trim();
  return line.length > most || text.length > most * 4 ? `${line.slice(0, most).trimEnd()}…` : line;
}

/** The last part of a path. */
export function lastPart(path: string): string {
  return path.replace(/\/+$/, '').split('/').pop() || path;
}

/** 1 agent, 2 agents. */
export function count(number: number, word: string, plural = `${word}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? word : plural}`;
}
