import { type FileHandle, open } from 'node:fs/promises';
import type { FileIdentity } from '../sinks/file/rotation.ts';

const CHUNK = 64 * 1024;
const LINE_FEED = 0x0a;

/** Reads the whole lines of an open file from where it stopped, again and again while the file grows. */
export class FileReader {
  readonly identity: FileIdentity;
  readonly #handle: FileHandle;
  #position: number;
  #rest: Buffer = Buffer.alloc(0);

  /** @param start byte to read from */
  constructor(handle: FileHandle, identity: FileIdentity, start: number) {
    this.#handle = handle;
    this.identity = identity;
    this.#position = start;
  }

  /** The lines that are there by now, without their line feeds; a line that is half written waits. */
  async *lines(): AsyncGenerator<string> {
    await this.#startOverIfTruncated();
    for (;;) {
      const { bytesRead, buffer } = await this.#handle.read(Buffer.alloc(CHUNK), 0, CHUNK, this.#position);
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      this.#rest = Buffer.concat([this.#rest, buffer.subarray(0, bytesRead)]);
      yield* this.#wholeLines();
    }
  }

  /** The whole lines before where it stands. */
  async earlierLines(): Promise<string[]> {
    const bytes = Buffer.alloc(this.#position);
    const { bytesRead } = await this.#handle.read(bytes, 0, bytes.length, 0);
    return bytes.toString('utf8', 0, bytesRead).split('\n').slice(0, -1);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  *#wholeLines(): Generator<string> {
    let start = 0;
    for (let end = this.#rest.indexOf(LINE_FEED); end !== -1; end = this.#rest.indexOf(LINE_FEED, start)) {
      yield this.#rest.toString('utf8', start, end);
      start = end + 1;
    }
    this.#rest = this.#rest.subarray(start);
  }

  async #startOverIfTruncated(): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size >= this.#position) return;
    this.#position = 0;
    this.#rest = Buffer.alloc(0);
  }
}

/** @returns undefined where no file is */
export async function openFile(path: string, at: 'start' | 'end'): Promise<FileReader | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const status = await handle.stat({ bigint: true });
  return new FileReader(handle, status, at === 'start' ? 0 : Number(status.size));
}
