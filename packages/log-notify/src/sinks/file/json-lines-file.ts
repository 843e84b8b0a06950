import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { jsonLine } from '../../message/json-line.ts';
import type { Notification } from '../../message/notification.ts';
import { PartlyDelivered, type Sink } from '../sink.ts';
import { type FileIdentity, identityOf, isSameFile, rotate } from './rotation.ts';

const LINE_FEED = 0x0a;

export interface JsonLinesFileOptions {
  readonly path: string;
  /** Bytes from which the file is rotated. */
  readonly maxSize: number;
  /** Old files that are kept. */
  readonly keep: number;
}

interface OpenFile extends FileIdentity {
  readonly handle: FileHandle;
}

/**
 * One JSON object a line, appended in one write for each batch: any number of processes share the file without
 * tearing each other's lines, and one of them rotates it. A new file is 0600 in a 0700 folder.
 */
export class JsonLinesFile implements Sink {
  readonly batch = 1000;
  readonly timeLimit = 5000;
  readonly #options: JsonLinesFileOptions;
  #file: OpenFile | undefined;
  #isTorn = false;

  constructor(options: JsonLinesFileOptions) {
    this.#options = options;
  }

  async deliver(batch: readonly Notification[]): Promise<void> {
    const lines = Buffer.from(`${batch.map(jsonLine).join('\n')}\n`);
    const { handle } = await this.#ready(lines.length);
    // A line that a full disk cut off must not swallow the next.
    if (this.#isTorn) await handle.write('\n');
    this.#isTorn = false;
    let written = 0;
    try {
      while (written < lines.length) {
        const { bytesWritten } = await handle.write(lines, written);
        written += bytesWritten;
      }
    } catch (error) {
      const arrived = lines.subarray(0, written);
      this.#isTorn = written > 0 && arrived.at(-1) !== LINE_FEED;
      throw new PartlyDelivered(countLines(arrived), { cause: error });
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close();
  }

  /** The file that is at the path now, with room for that many bytes. */
  async #ready(length: number): Promise<OpenFile> {
    const { path, maxSize, keep } = this.#options;
    const found = await identityOf(path);
    if (found !== undefined && found.size > 0n && Number(found.size) + length > maxSize) {
      await rotate(path, found, keep);
    }
    const current = found === undefined ? undefined : await identityOf(path);
    if (this.#file !== undefined && current !== undefined && isSameFile(this.#file, current)) {
      return this.#file;
    }
    await this.close();
    return this.#open();
  }

  async #open(): Promise<OpenFile> {
    const { path } = this.#options;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, 'a', 0o600);
    const { dev, ino } = await handle.stat({ bigint: true });
    this.#file = { handle, dev, ino };
    return this.#file;
  }
}

function countLines(bytes: Uint8Array): number {
  return bytes.reduce((count, byte) => count + Number(byte === LINE_FEED), 0);
}
