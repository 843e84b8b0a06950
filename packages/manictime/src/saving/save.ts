import { createHash, randomUUID } from 'node:crypto';
import { link, lstat, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { Problem } from '../problem.ts';
import { writeFailed } from './write-failed.ts';

/** How many numbers are tried behind a name that nobody asked for. */
const MOST_NUMBERS = 999;

/** Writes files without ever taking somebody else's place. */
export class FileSaver {
  /** What was written where: such a file may be replaced as long as nobody changed it. */
  readonly #written = new Map<string, string>();

  /**
   * Writes to a temporary file and moves it into place. The same bytes keep their path.
   *
   * @param numbered puts a number behind the name where it is taken, instead of failing
   * @returns the path written to
   * @throws Problem FILE_EXISTS or WRITE_FAILED
   */
  async save(path: string, bytes: Uint8Array, numbered: boolean): Promise<string> {
    try {
      for (let number = 1; number <= (numbered ? MOST_NUMBERS : 1); number += 1) {
        const target = number === 1 ? path : withNumber(path, number);
        if (await this.#place(target, bytes)) return target;
      }
    } catch (error) {
      throw writeFailed(error);
    }
    throw fileExists();
  }

  async #place(target: string, bytes: Uint8Array): Promise<boolean> {
    const digest = digestOf(bytes);
    const there = await digestThere(target);
    if (there === digest) return true;
    const own = there !== undefined && there === this.#written.get(target);
    const temporary = join(dirname(target), `.${randomUUID()}.tmp`);
    try {
      await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 });
      if (own) await rename(temporary, target);
      else if (!(await placeNew(temporary, target, bytes))) return false;
    } finally {
      await unlink(temporary).catch(() => undefined);
    }
    this.#written.set(target, digest);
    return true;
  }
}

/** False where something came first. A hard link is the one move that never replaces. */
async function placeNew(temporary: string, target: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await link(temporary, target);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
  }
  try {
    // For file systems without hard links.
    await writeFile(target, bytes, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined where nothing is; a name of its own for what is no regular file. */
async function digestThere(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (stats === undefined) return undefined;
  return stats.isFile() ? digestOf(await readFile(path)) : 'no regular file';
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function withNumber(path: string, number: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${number}${extension}`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function fileExists(): Problem {
  return new Problem({
    code: 'FILE_EXISTS',
    error: 'There is another file at that path; it was left as it is.',
    hint: 'Pass another outputPath, or none for a name that is free.',
  });
}
