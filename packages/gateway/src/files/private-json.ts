import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkPrivate, existingPart, readPrivateFile, replaceFile } from '@deskside/core/base';
import { errnoOf, messageOf, remedyOf, StartError } from '@deskside/core/errors';
import * as z from 'zod';
import { ownUid, whileLocked } from '@deskside/desktop';

/** A time as a text that a person may have edited. */
export const storedTime = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

/** A value in a JSON file that only its owner can read, changed by one Deskside program at a time. */
export class PrivateJson<Value> {
  readonly #file: string;
  readonly #schema: z.ZodType<Value>;
  readonly #empty: Value;
  readonly #what: string;
  /** What was read last. */
  #last: { readonly text: string; readonly value: Value } | undefined;

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

  /** @throws StartError if the file cannot be used, belongs to another user, or if other users can use it */
  read(): Value {
    try {
      const text = textOf(this.#file);
      if (text === undefined) return this.#empty;
      if (text !== this.#last?.text) this.#last = { text, value: this.#schema.parse(JSON.parse(text)) };
      return this.#last.value;
    } catch (error) {
      if (error instanceof StartError) throw error;
      const reason = errnoOf(error) === undefined ? 'its content is not valid' : messageOf(error);
      const remedy = remedyOf(error) ?? 'Correct it, or delete it';
      const problem = `${this.#what} ${this.#file} cannot be used (${reason}). ${remedy}.`;
      throw new StartError(problem, { cause: error });
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
      const { value, answer } = change(this.read());
      await replaceFile(this.#file, `${JSON.stringify(value, null, 2)}\n`);
      return answer;
    });
  }
}

/** Without a turn of the event loop, because each call of another server asks. @returns undefined without a file */
function textOf(file: string): string | undefined {
  // Most have none, and an exception of openSync takes fifteen times as long.
  const isMissing = statSync(file, { throwIfNoEntry: false }) === undefined;
  // A file in the place of its folder hides what was decided.
  if (isMissing && statSync(existingPart(dirname(file))).isDirectory()) return undefined;
  const descriptor = openSync(file, 'r');
  try {
    const text = readFileSync(descriptor, 'utf8');
    checkPrivate(file, fstatSync(descriptor), ownUid());
    return text;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The text of a record that only this user may own and read.
 *
 * @returns undefined if it does not exist
 * @throws StartError that names the file, if it cannot be used
 */
export async function privateText(file: string, maxBytes?: number): Promise<string | undefined> {
  try {
    return await readPrivateFile(file, { uid: ownUid(), ...(maxBytes === undefined ? {} : { maxBytes }) });
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    if (error instanceof StartError) throw error;
    const problem = `${file} cannot be read (${messageOf(error)}). Correct it, or delete it.`;
    throw new StartError(problem, { cause: error });
  }
}

/** What the person has accepted, in a file that is not whole. It counts for nothing: a part of it may be what forbids. */
export class DamagedRecord extends StartError {
  readonly file: string;

  constructor(file: string) {
    super(`${file} is damaged, so nothing of it counts. Run "deskside apply".`);
    this.file = file;
  }
}

/** @returns undefined for a damaged record @throws everything else that `read` throws */
export async function unlessDamaged<Value>(
  read: () => Promise<Value>,
  onDamage: (file: string) => void = () => undefined,
): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    onDamage(error.file);
    return undefined;
  }
}
