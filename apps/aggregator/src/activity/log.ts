import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folders } from '@deskside/core/cli';
import type { Log } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import type { CallRecord } from './call.ts';

const MAX_FILE_BYTES = 1024 * 1024;

/** The file of the calls; the calls before are in the same path with `.1` at its end. */
export function activityFile(): string {
  return join(folders().state, 'activity.jsonl');
}

/**
 * Writes calls as JSON lines to a file that only its owner can read. At 1 MB the file becomes the earlier file, so the two
 * have at most 2 MB. Several processes may write to one file.
 */
export class ActivityLog implements AsyncDisposable {
  readonly #file: string;
  readonly #log: Log;
  readonly #now: () => Date;
  readonly #maxBytes: number;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #hasFailed = false;

  constructor(
    file: string,
    log: Log,
    options: { readonly now?: () => Date; readonly maxBytes?: number } = {},
  ) {
    this.#file = file;
    this.#log = log;
    this.#now = options.now ?? (() => new Date());
    this.#maxBytes = options.maxBytes ?? MAX_FILE_BYTES;
  }

  /** Never throws: a full disk does not fail a call. */
  readonly record = (call: CallRecord): void => {
    this.#waiting.push(`${JSON.stringify({ time: this.#now().toISOString(), ...call })}\n`);
    this.#writing ??= this.#write();
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting.splice(0);
      try {
        await this.#append(lines.join(''));
        this.#hasFailed = false;
      } catch (error) {
        if (!this.#hasFailed) {
          this.#log.warn('activity not written', {
            file: this.#file,
            calls: lines.length,
            error: messageOf(error),
          });
        }
        this.#hasFailed = true;
      }
    }
    this.#writing = undefined;
  }

  async #append(text: string): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    await appendFile(this.#file, text, { mode: 0o600 });
    const { size } = await stat(this.#file);
    if (size > this.#maxBytes) await rename(this.#file, `${this.#file}.1`);
  }
}
