/** What a tool was asked to do: its name and gist in a line, its edits as before and after. */
import type { Turn } from '../api/shapes';
import { oneLine } from '../text';

export type Input = Record<string, unknown>;

export interface Edit {
  path: string;
  before: string;
  after: string;
}

export interface Todo {
  text: string;
  state: string;
}

const parsed = new WeakMap<Turn, Input>();

/** A call's input. What is no JSON object is kept as text. */
export function inputOf(call: Turn): Input {
  const known = parsed.get(call);
  if (known) return known;
  const read = readInput(call.text);
  parsed.set(call, read);
  return read;
}

function readInput(text: string): Input {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Input) : { input: value };
  } catch {
    return text ? { input: text } : {};
  }
}

/** `mcp__github__create_issue` as `github · create_issue`. */
export function nameOf(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return oneLine(server && name ? `${server} · ${name}` : tool, 60);
}

/** Which field of the input says most, tool by tool; the first text will do for all others. */
const TELLING: Record<string, string[]> = {
  Bash: ['command'],
  Grep: ['pattern', 'path'],
  Glob: ['pattern', 'path'],
  WebFetch: ['url'],
  WebSearch: ['query'],
  Agent: ['description'],
  Task: ['description'],
  Skill: ['skill', 'command'],
  ExitPlanMode: ['plan'],
};

/** What a call is about, in one line. Paths are told from the project's folder. */
export function gistOf(tool: string, input: Input, folder: string): string {
  const path = textOf(input['file_path']) || textOf(input['notebook_path']);
  if (path) return oneLine(within(path, folder), 160);
  const todos = todosOf(input);
  if (todos.length) return `${todos.filter((todo) => todo.state === 'completed').length} of ${todos.length} done`;
  const question = firstQuestion(input);
  if (question) return oneLine(question, 160);
  const fields = TELLING[tool] ?? Object.keys(input).filter((name) => textOf(input[name]));
  const said = fields.map((name) => textOf(input[name])).filter(Boolean);
  return oneLine((TELLING[tool] ? said : said.slice(0, 1)).map((each) => within(each, folder)).join(' · '), 160);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function within(path: string, folder: string): string {
  return folder && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function firstQuestion(input: Input): string {
  const [first] = Array.isArray(input['questions']) ? (input['questions'] as unknown[]) : [];
  return typeof first === 'object' && first !== null ? textOf((first as Input)['question']) : '';
}

export function todosOf(input: Input): Todo[] {
  if (!Array.isArray(input['todos'])) return [];
  return (input['todos'] as unknown[])
    .filter((each): each is Input => typeof each === 'object' && each !== null)
    .map((each) => ({ text: textOf(each['content']), state: textOf(each['status']) }));
}

/** The changes a call makes to files, where it makes any that can be told from its input. */
export function editsOf(tool: string, input: Input): Edit[] {
  const path = textOf(input['file_path']) || textOf(input['notebook_path']);
  if (!path) return [];
  const edit = (from: Input): Edit => ({ path, before: textOf(from['old_string']), after: textOf(from['new_string']) });
  switch (tool) {
    case 'Edit':
      return [edit(input)];
    case 'MultiEdit':
      return Array.isArray(input['edits']) ? (input['edits'] as Input[]).map(edit) : [];
    case 'Write':
      return [{ path, before: '', after: textOf(input['content']) }];
    case 'NotebookEdit':
      return [{ path, before: '', after: textOf(input['new_source']) }];
    default:
      return [];
  }
}

/** Everything in an input that is text, for those who look for words: names of fields are no words. */
export function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(wordsIn).join('\n');
  if (typeof value === 'object' && value !== null) return Object.values(value).map(wordsIn).join('\n');
  return value === null || value === undefined ? '' : String(value);
}

const SENT_OFF = new Set(['Agent', 'Task']);

/** Whether a call sends off a sub-agent, and with which task. */
export function taskOf(call: Turn): { description: string; prompt: string; kind: string } | null {
  if (!SENT_OFF.has(call.tool ?? '')) return null;
  const input = inputOf(call);
  return {
    description: textOf(input['description']),
    prompt: textOf(input['prompt']),
    kind: textOf(input['subagent_type']),
  };
}
