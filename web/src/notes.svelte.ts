/** Short words at the foot of the page: what was done, or why it was not. */
import { inWords } from './api';

export interface Note {
  id: number;
  text: string;
  hint: string;
  bad: boolean;
}

const STAYS = 4_000;
const BAD_STAYS = 10_000;

class Notes {
  shown: Note[] = $state.raw([]);
  #last = 0;

  say(text: string): void {
    this.#add({ text, hint: '', bad: false }, STAYS);
  }

  /** Tell what went wrong, and what to do next. */
  sorry(thrown: unknown): void {
    const { message, hint } = inWords(thrown);
    this.#add({ text: message, hint, bad: true }, BAD_STAYS);
  }

  drop(id: number): void {
    this.shown = this.shown.filter((note) => note.id !== id);
  }

  #add(note: Omit<Note, 'id'>, stays: number): void {
    const id = ++this.#last;
    this.shown = [...this.shown.slice(-3), { id, ...note }];
    setTimeout(() => this.drop(id), stays);
  }
}

export const notes = new Notes();

/** Put a text on the clipboard and say so. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notes.say(`${what} copied`);
  } catch {
    notes.sorry(new Error(`The browser does not let this page copy. The ${what.toLowerCase()} is: ${text}`));
  }
}
