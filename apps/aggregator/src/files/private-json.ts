import { statSync } from 'node:fs';
import { readPrivateFile, replaceFile } from '@deskside/core/base';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';
import type * as z from 'zod';
import { whileLocked } from './update.ts';

/** Two changes in one tick of the file system's clock look alike. */
const TICK_MS = 100;

/** A value in a JSON file that only its owner can read, changed by one Deskside program at a time. */
export class PrivateJson<Value> {
  readonly #file: string;
  readonly #schema: z.ZodType<Value>;
  readonly #empty: Value;
  readonly #what: string;
  /** What was read last, and which file that was. Also the mode and the owner are part of its state. */
  #last: { readonly state: string; readonly value: Value } | undefined;

  /**
   * @param empty without a file
   * @param what it is, at the start of a sentence: `The token file`
   */
  constructor(file: string, schema: z.ZodType<Value>, empty: Value, what: string) {
    this.#file = file;
    this.#schema = schema;
    this.#empty = empty;
    this.#what = what;
  }

  /** @throws StartError if the file cannot be used, or if other users can read or change it */
  async read(): Promise<Value> {
    try {
      const state = stateOf(this.#file);
      if (this.#last !== undefined && state === this.#last.state) return this.#last.value;
      const text = await readPrivateFile(this.#file);
      const value = text === undefined ? this.#empty : this.#schema.parse(JSON.parse(text));
      this.#last = state === undefined ? undefined : { state, value };
      return value;
    } catch (error) {
      if (error instanceof StartError) throw error;
      const reason = errnoOf(error) === undefined ? 'its content is not valid' : messageOf(error);
      throw new StartError(
        `${this.#what} ${this.#file} cannot be used (${reason}). Correct it, or delete it.`,
        {
          cause: error,
        },
      );
    }
  }

  /**
   * Replaces the value.
   *
   * @returns what `change` answers
   * @throws StartError as `read`, and what `change` throws; then nothing was changed
   */
  change<Answer>(
    change: (value: Value) => { readonly value: Value; readonly answer: Answer },
  ): Promise<Answer> {
    return whileLocked(this.#file, async () => {
      const { value, answer } = change(await this.read());
      await replaceFile(this.#file, `${JSON.stringify(value, null, 2)}\n`);
      return answer;
    });
  }
}

/** @returns undefined if a later change could look the same */
function stateOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return 'none';
  const { ino, size, ctimeMs } = found;
  return Date.now() - ctimeMs < TICK_MS ? undefined : `${ino} ${size} ${ctimeMs}`;
}
