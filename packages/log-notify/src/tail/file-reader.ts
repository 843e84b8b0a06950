import { type FileHandle, open } from 'node:fs/promises';
import { errnoOf } from '@deskside/core/errors';
import { type FileIdentity, isSameFile, rotatedPath } from '../sinks/file/rotation.ts';

const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** Reads complete lines of an open file and continues at its position as the file grows. */
export class FileReader {
  readonly identity: FileIdentity;
  readonly #handle: FileHandle;
  #position: number;
  #rest: Buffer = Buffer.alloc(0);

  /** @param start first byte to read */
  constructor(handle: FileHandle, identity: FileIdentity, start: number) {
    this.#handle = handle;
    this.identity = identity;
    this.#position = start;
  }

  /** The complete lines since the last call, without line feeds. An incomplete line stays for the next call. */
  async *lines(): AsyncGenerator<string> {
    await this.#restartIfTruncated();
    for (;;) {
      const { bytesRead, buffer } = await this.#handle.read(
        Buffer.alloc(CHUNK_BYTES),
        0,
        CHUNK_BYTES,
        this.#position,
      );
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      this.#rest = Buffer.concat([this.#rest, buffer.subarray(0, bytesRead)]);
      yield* this.#completeLines();
    }
  }

  /** The complete lines before the position, the last one first. Reads only as much as the caller takes. */
  async *earlierLines(): AsyncGenerator<string> {
    let end = this.#position;
    /** The start of a line whose beginning is not read yet; undefined before the first line feed. */
    let rest: Buffer | undefined;
    while (end > 0) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const { bytesRead, buffer } = await this.#handle.read(Buffer.alloc(end - start), 0, end - start, start);
      end = start;
      let bytes = buffer.subarray(0, bytesRead);
      for (let feed = bytes.lastIndexOf(LINE_FEED); feed !== -1; feed = bytes.lastIndexOf(LINE_FEED)) {
        const line = bytes.subarray(feed + 1);
        if (rest !== undefined) yield Buffer.concat([line, rest]).toString('utf8');
        rest = Buffer.alloc(0);
        bytes = bytes.subarray(0, feed);
      }
      if (rest !== undefined) rest = Buffer.concat([bytes, rest]);
    }
    if (rest !== undefined) yield rest.toString('utf8');
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  *#completeLines(): Generator<string> {
    let start = 0;
    for (let end = this.#rest.indexOf(LINE_FEED); end !== -1; end = this.#rest.indexOf(LINE_FEED, start)) {
      yield this.#rest.toString('utf8', start, end);
      start = end + 1;
    }
    this.#rest = this.#rest.subarray(start);
  }

  async #restartIfTruncated(): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size >= this.#position) return;
    this.#position = 0;
    this.#rest = Buffer.alloc(0);
  }
}

/** @returns undefined if the file does not exist */
export async function openFile(path: string, at: 'start' | 'end'): Promise<FileReader | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const status = await handle.stat({ bigint: true });
  return new FileReader(handle, status, at === 'start' ? 0 : Number(status.size));
}

/** Opens the newest file at its end. */
export async function openNewest(path: string): Promise<FileReader | undefined> {
  return (await openFile(path, 'end')) ?? openFile(rotatedPath(path, 1), 'end');
}

/**
 * The last parsed lines, oldest first. Continues in rotated files if the newest file has too few.
 *
 * @param newest lines after its position are ignored
 * @param parse returns undefined for a line that does not count
 */
export async function lastLines<T>(
  path: string,
  newest: FileReader | undefined,
  count: number,
  parse: (line: string) => T | undefined,
): Promise<T[]> {
  const found: T[] = [];
  const add = async (reader: FileReader) => {
    for await (const line of reader.earlierLines()) {
      const parsed = parse(line);
      if (parsed !== undefined) found.unshift(parsed);
      if (found.length === count) return;
    }
  };
  if (count === 0 || newest === undefined) return [];
  await add(newest);
  for (let age = 1; found.length < count; age += 1) {
    const older = await openFile(rotatedPath(path, age), 'end');
    if (older === undefined) break;
    if (!isSameFile(older.identity, newest.identity)) await add(older);
    await older.close();
  }
  return found;
}
