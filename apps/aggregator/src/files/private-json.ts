import { closeSync, fstatSync, openSync } from 'node:fs';
import { readPrivateFile, replaceFile, systemClock } from '@deskside/core/base';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';
import type * as z from 'zod';
import { whileLocked } from './update.ts';

/** Two changes in one tick of a file system's clock look alike. FAT has the longest one. */
const TICK_MS = 2000;

/** A value in a JSON file that only its owner can read, changed by one Deskside program at a time. */
export class PrivateJson<Value> {
  readonly #file: string;
  readonly #schema: z.ZodType<Value>;
  readonly #empty: Value;
  readonly #what: string;
  /** What was read last. It is final if its state was first seen a tick before. */
  #last:
    | { readonly state: string; readonly seenMs: number; readonly isFinal: boolean; readonly value: Value }
    | undefined;

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
      if (state === undefined) return this.#empty;
      const known = state === this.#last?.state ? this.#last : undefined;
      if (known?.isFinal === true) return known.value;
      const nowMs = systemClock.elapsedMs();
      const seenMs = known?.seenMs ?? nowMs;
      const text = await readPrivateFile(this.#file);
      if (text === undefined) return this.#empty;
      const value = this.#schema.parse(JSON.parse(text));
      this.#last = { state, seenMs, isFinal: nowMs - seenMs >= TICK_MS, value };
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
      // What is written back is what the file contains, whatever its state looks like.
      this.#last = undefined;
      const { value, answer } = change(await this.read());
      await replaceFile(this.#file, `${JSON.stringify(value, null, 2)}\n`);
      return answer;
    });
  }
}

/**
 * Through an open file: a network file system may answer `stat` from its cache. Without a turn of the event loop, because
 * each call of a guarded tool asks.
 *
 * @returns undefined without a file
 */
function stateOf(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { dev, ino, size, mode, uid, mtimeMs, ctimeMs } = fstatSync(descriptor);
    return [dev, ino, size, mode, uid, mtimeMs, ctimeMs].join(' ');
  } finally {
    closeSync(descriptor);
  }
}
