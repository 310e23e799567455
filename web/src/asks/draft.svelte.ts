/** What a person has begun to answer. It outlives the card, so that nothing typed is lost by looking elsewhere. */
import type { Question } from '../api/shapes';

/** What is chosen for one question: places in its list of options, and words of one's own. */
export interface Choice {
  picked: readonly number[];
  own: boolean;
  words: string;
}

const NOTHING: Choice = { picked: [], own: false, words: '' };

export class Draft {
  message = $state('');
  /** Whether the box for the message that goes with a no is open. */
  explaining = $state(false);
  /** The question that the number keys answer. */
  active = $state(0);
  #choices: readonly Choice[] = $state.raw([]);

  choice(nth: number): Choice {
    return this.#choices[nth] ?? NOTHING;
  }

  /** Take an option, or leave it: where only one may be taken, the others are left. */
  pick(nth: number, option: number, multiple: boolean): void {
    const { picked, own, words } = this.choice(nth);
    const taken = multiple && picked.includes(option) ? picked.filter((each) => each !== option) : [...picked, option];
    this.#set(nth, { picked: multiple ? taken : [option], own: multiple && own, words });
  }

  pickOwn(nth: number, own: boolean, multiple: boolean): void {
    const { picked, words } = this.choice(nth);
    this.#set(nth, { picked: multiple ? picked : [], own, words });
  }

  write(nth: number, words: string, multiple: boolean): void {
    const { picked } = this.choice(nth);
    this.#set(nth, { picked: multiple ? picked : [], own: words !== '', words });
  }

  /** All that was typed: what is lost if nobody says so. */
  get typed(): string {
    const words = [...this.#choices.map((choice) => choice.words), this.message];
    return words.filter((each) => each.trim()).join('\n\n');
  }

  #set(nth: number, choice: Choice): void {
    const choices = [...this.#choices];
    while (choices.length < nth) choices.push(NOTHING);
    choices[nth] = choice;
    this.#choices = choices;
  }
}

export function isAnswered({ picked, own, words }: Choice): boolean {
  return own ? words.trim() !== '' : picked.length > 0;
}

export function isComplete(questions: readonly Question[], draft: Draft): boolean {
  return questions.length > 0 && questions.every((_, nth) => isAnswered(draft.choice(nth)));
}

/** The first question without an answer, looking on from `from` and then from the top. */
export function unanswered(questions: readonly Question[], draft: Draft, from = 0): number | undefined {
  const places = questions.map((_, nth) => nth);
  const order = [...places.slice(from), ...places.slice(0, from)];
  return order.find((nth) => !isAnswered(draft.choice(nth)));
}

/** The answers as the API takes them: labels where all are on offer, else one text. */
export function answersOf(questions: readonly Question[], draft: Draft): Record<string, string | string[]> {
  return Object.fromEntries(
    questions.map((asked, nth) => {
      const { picked, own, words } = draft.choice(nth);
      const labels = (asked.options ?? []).flatMap(({ label }, at) => (picked.includes(at) ? [label] : []));
      return [asked.question, own ? [...labels, words.trim()].join(', ') : labels];
    }),
  );
}
