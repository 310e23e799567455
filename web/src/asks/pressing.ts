/** What single keys do to an ask. */
import { tick } from 'svelte';
import type { Ask } from '../api/shapes';
import { isComplete, unanswered } from './draft.svelte';
import { isNo } from './kinds';
import type { Item } from './item.svelte';
import { queue } from './queue.svelte';

export const KEYS: readonly { keys: string[]; does: string }[] = [
  { keys: ['j', 'k'], does: 'the next ask, the one before' },
  { keys: ['y'], does: 'allow, or approve a plan' },
  { keys: ['A'], does: 'allow always (with Shift)' },
  { keys: ['n'], does: 'deny or reject: write why, or not, and press Enter' },
  { keys: ['1', '…', '9'], does: 'choose an option of the question that shows numbers' },
  { keys: ['Enter'], does: 'send: the answers, or the message you are writing' },
  { keys: ['x'], does: 'not a question; dismiss an error' },
  { keys: ['o'], does: 'open the conversation' },
  { keys: ['/'], does: 'filter the agents' },
  { keys: ['?'], does: 'this list' },
];

const NUMBERS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

/** The keys that answer `asked()`. They do nothing while cards move: the hand meant the one before. */
export function keysFor(asked: () => Item | undefined): Record<string, (event: KeyboardEvent) => void> {
  const press = (act: (item: Item, ask: Ask) => void) => (event: KeyboardEvent) => {
    const item = asked();
    if (item?.ask && item.open && !item.sending && !event.repeat && !queue.moving) act(item, item.ask);
  };
  return {
    y: press((item) => void item.answer(item.may('approve') ? 'approve' : 'allow')),
    A: press((item) => void item.answer('always')),
    n: press((item) => void explain(item)),
    x: press((item) => void item.answer('dismiss')),
    ...Object.fromEntries(NUMBERS.map((number, option) => [number, press((item, ask) => pick(item, ask, option))])),
  };
}

/** Open the box for the message that goes with a no, and go there. */
export async function explain(item: Item): Promise<void> {
  if (!item.ask?.decisions.some(isNo)) return;
  item.draft.explaining = true;
  await tick();
  document.getElementById(`message-${item.id}`)?.focus();
}

function pick(item: Item, ask: Ask, option: number): void {
  const { draft } = item;
  const asked = ask.questions[draft.active];
  if (!item.may('answer') || !asked || option >= (asked.options ?? []).length) return;
  draft.pick(draft.active, option, asked.multiple ?? false);
  if (!asked.multiple) draft.active = unanswered(ask.questions, draft, draft.active) ?? draft.active;
}

/** Enter, outside of fields and buttons: send the answers, or go to the question that lacks one. */
export function enter(item: Item | undefined, event: KeyboardEvent): void {
  if (!item?.ask || !item.may('answer') || event.repeat || queue.moving) return;
  if (isComplete(item.ask.questions, item.draft)) void item.answer('answer');
  else item.draft.active = unanswered(item.ask.questions, item.draft, item.draft.active) ?? 0;
}
