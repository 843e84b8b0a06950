import { MAX_COUNTED_TASKS, type TaskPage, type TaskQuery } from './task-store.ts';
import { type TaskText, wordMatcher } from './words.ts';

/** A word that begins as many words of tasks is not looked up: the newest tasks probably have it. */
export const MAX_LOOKED_UP_WORDS = 1000;

/** How many tasks a search without a rarer word reads: some 20 ms. */
const MAX_READ_TASKS = 5000;

/** How many tasks it reads at once. */
export const READ_TASKS = 1000;

/** The last code point. Words that begin with a prefix are those from the prefix to before the prefix and this. */
export const LAST_CODE_POINT = '\u{10FFFF}';

interface FoundTask extends TaskText {
  readonly id: number;
}

/** Collects the tasks of one page of a search. Both stores decide with it, and so give the same answers. */
export class WordSearch {
  readonly #matches: (task: TaskText) => boolean;
  readonly #limit: number;
  readonly #found: number[] = [];
  #read = 0;
  #readTo: number | undefined;
  #isComplete = false;

  constructor({ limit, afterId }: TaskQuery, prefixes: readonly string[]) {
    this.#matches = wordMatcher(prefixes);
    this.#limit = limit;
    this.#readTo = afterId;
  }

  /** Where to read on. */
  get afterId(): number | undefined {
    return this.#readTo;
  }

  /** Whether to read on. */
  get isOpen(): boolean {
    return (
      !this.#isComplete && this.#found.length < this.#limit + MAX_COUNTED_TASKS && this.#read < MAX_READ_TASKS
    );
  }

  /**
   * @param tasks the next ones, newest first
   * @param isLast whether no other task can match
   */
  add(tasks: readonly FoundTask[], isLast: boolean): void {
    this.#found.push(...tasks.filter(this.#matches).map(({ id }) => id));
    this.#read += tasks.length;
    this.#readTo = tasks.at(-1)?.id ?? this.#readTo;
    this.#isComplete = isLast;
  }

  result(): { readonly ids: readonly number[] } & Omit<TaskPage, 'tasks'> {
    const { length } = this.#found;
    const isCut = !this.#isComplete && length < this.#limit + MAX_COUNTED_TASKS;
    return {
      ids: this.#found.slice(0, this.#limit),
      remaining: Math.min(Math.max(0, length - this.#limit), MAX_COUNTED_TASKS),
      ...(isCut && this.#readTo !== undefined ? { searchedTo: this.#readTo } : {}),
    };
  }
}
