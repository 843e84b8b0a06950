import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { errnoOf } from '@deskside/core/errors';
import { type FileIdentity, isSameFile, rotatedPath } from '../sinks/file/rotation.ts';

const CHUNK_BYTES = 64 * 1024;
/** How much of a file is read for its last lines. */
const END_BYTES = 16 * 1024 * 1024;

export interface FileReader {
  readonly identity: FileIdentity;
  /** The complete lines since the last call, without line feeds. An incomplete line stays for the next call. */
  lines(): AsyncGenerator<string>;
  close(): Promise<void>;
}

/** Reads an open file from a position on, and continues there as the file grows. */
function readerOf(handle: FileHandle, identity: FileIdentity, start: number): FileReader {
  let [position, decoder, rest] = [start, new StringDecoder(), ''];
  return {
    identity,
    close: async () => handle.close(),
    async *lines() {
      const { size } = await handle.stat();
      if (size < position) [position, decoder, rest] = [0, new StringDecoder(), ''];
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        const lines = `${rest}${decoder.write(chunk.subarray(0, bytesRead))}`.split('\n');
        rest = lines.pop() ?? '';
        yield* lines;
      }
    },
  };
}

/**
 * @param at `end`: its last 16 MB, which may begin inside a line
 * @returns undefined if the file does not exist
 */
export async function openFile(path: string, at: 'start' | 'end'): Promise<FileReader | undefined> {
  try {
    const handle = await open(path, 'r');
    const status = await handle.stat({ bigint: true });
    if (status.isDirectory()) {
      await handle.close();
      throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR', syscall: 'read' });
    }
    return readerOf(handle, status, at === 'start' ? 0 : Math.max(0, Number(status.size) - END_BYTES));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The last parsed lines, oldest first. Continues in rotated files if the end of the newest file has too few.
 *
 * @param newest not read yet; afterwards at its end
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
    const lines: string[] = [];
    for await (const line of reader.lines()) lines.push(line);
    for (let line = lines.pop(); line !== undefined && found.length < count; line = lines.pop()) {
      const parsed = parse(line);
      if (parsed !== undefined) found.unshift(parsed);
    }
  };
  if (newest === undefined) return found;
  await add(newest);
  for (let age = 1; found.length < count; age += 1) {
    const older = await openFile(rotatedPath(path, age), 'end');
    if (older === undefined) break;
    if (!isSameFile(older.identity, newest.identity)) await add(older);
    await older.close();
  }
  return found;
}
