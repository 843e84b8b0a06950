import { constants, type Dirent } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { formatDate } from '@deskside/core/dates';
import { errnoOf, UserError } from '@deskside/core/errors';
import type { LocalRange } from '../model/activity.ts';
import { instantOfShot, parseShotFile, referenceOf, type Shot, type StoredShot } from './shot.ts';

export type FolderState = 'present' | 'empty' | 'absent' | 'unreadable';

/** One listing per day folder. */
const MAX_CACHED_LISTINGS = 64;

/** Coarsest resolution of file system timestamps. */
const TIMESTAMP_GRANULARITY_MS = 100;

/** The screenshots folder. It contains one folder per day, or files directly. Listing never opens images. */
export class ScreenshotFolder {
  readonly #root: () => Promise<string | undefined>;
  readonly #listings = new Map<string, { readonly changed: number; readonly shots: readonly StoredShot[] }>();

  /** @param root resolves with the folder, or undefined if it is not known yet */
  constructor(root: () => Promise<string | undefined>) {
    this.#root = root;
  }

  root(): Promise<string | undefined> {
    return this.#root();
  }

  async state(): Promise<FolderState> {
    const root = await this.#root();
    if (root === undefined) return 'absent';
    try {
      const entries = await readdir(root);
      return entries.length === 0 ? 'empty' : 'present';
    } catch (error) {
      return isMissing(error) ? 'absent' : 'unreadable';
    }
  }

  /** The screenshots of a range, ordered by time. Reads only the folders of its days. */
  async shotsIn({ from, to }: LocalRange): Promise<StoredShot[]> {
    const root = await this.#root();
    if (root === undefined) return [];
    const shots = [...(await this.#list(root))];
    const [first, last] = [formatDate(from), formatDate(to - 1)];
    for (const day of await this.days()) {
      if (day < first || day > last) continue;
      // No spread: a long range exceeds the maximum number of arguments.
      for (const shot of await this.#list(join(root, day))) shots.push(shot);
    }
    const inRange = shots.filter(({ local }) => local >= from && local < to);
    return withoutDuplicates(inRange).toSorted(byInstant);
  }

  /** The screenshot of a decoded reference, if its files still exist. */
  async find(shot: Shot): Promise<StoredShot | undefined> {
    const root = await this.#root();
    if (root === undefined) return undefined;
    const reference = referenceOf(shot);
    const folders = [join(root, formatDate(shot.local)), root];
    const listings = await Promise.all(folders.map((folder) => this.#list(folder)));
    return listings.flat().find((stored) => stored.reference === reference);
  }

  /** The days with a folder, oldest first. */
  async days(): Promise<string[]> {
    const root = await this.#root();
    const entries = root === undefined ? [] : await readdir(root).catch(emptyIfMissing);
    return entries.filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name)).toSorted();
  }

  /** The names of the files in a folder, without links out of the screenshots folder. */
  async #filesIn(folder: string): Promise<string[]> {
    const root = await this.#root();
    if (root === undefined || !(await leadsInto(root, folder))) return [];
    const entries = await readdir(folder, { withFileTypes: true }).catch(noneIfMissing);
    const names: string[] = [];
    for (const entry of entries) {
      const isOwn = entry.isSymbolicLink() ? await leadsInto(root, join(folder, entry.name)) : entry.isFile();
      if (isOwn) names.push(entry.name);
    }
    return names;
  }

  async #list(folder: string): Promise<readonly StoredShot[]> {
    // Read before the listing, so that a file added meanwhile makes the next call list again.
    const changed = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (changed === undefined) return [];
    const known = this.#listings.get(folder);
    if (known?.changed === changed) return known.shots;
    const shots = shotsAmong(folder, await this.#filesIn(folder));
    this.#listings.delete(folder);
    // Two changes within the timestamp resolution look like one, so this listing may miss the second.
    if (Date.now() - changed < TIMESTAMP_GRANULARITY_MS) return shots;
    this.#listings.set(folder, { changed, shots });
    const [oldest] = this.#listings.keys();
    if (this.#listings.size > MAX_CACHED_LISTINGS && oldest !== undefined) this.#listings.delete(oldest);
    return shots;
  }
}

/** Whether a path leads, over all links, to the root or into it. False for a broken link. */
async function leadsInto(root: string, path: string): Promise<boolean> {
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(path)]);
    return real === realRoot || isInside(realRoot, real);
  } catch {
    return false;
  }
}

function shotsAmong(folder: string, names: readonly string[]): StoredShot[] {
  const shots = new Map<string, { shot: Shot; fullFile?: string; thumbnailFile?: string }>();
  for (const name of names) {
    const parsed = parseShotFile(name);
    if (parsed === undefined) continue;
    const { shot, isThumbnail } = parsed;
    const { local, offset, width, height, sequence, monitor } = shot;
    const identity = `${local} ${offset} ${width} ${height} ${sequence} ${monitor}`;
    const known = shots.get(identity) ?? { shot };
    known[isThumbnail ? 'thumbnailFile' : 'fullFile'] = join(folder, name);
    shots.set(identity, known);
  }
  return Array.from(shots.values(), ({ shot, fullFile, thumbnailFile }) => ({
    ...shot,
    instant: instantOfShot(shot),
    reference: referenceOf(shot),
    fullFile,
    thumbnailFile,
  }));
}

function withoutDuplicates(shots: readonly StoredShot[]): StoredShot[] {
  return [...new Map(shots.map((shot) => [shot.reference, shot])).values()];
}

function byInstant(a: StoredShot, b: StoredShot): number {
  return a.instant - b.instant || a.monitor - b.monitor || a.sequence - b.sequence;
}

function isMissing(error: unknown): boolean {
  return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';
}

function noneIfMissing(error: unknown): Dirent[] {
  if (isMissing(error)) return [];
  throw error;
}

function emptyIfMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}

const MAX_IMAGE_MEBIBYTES = 64;

/**
 * Reads a regular file inside a folder. Links are resolved before the path is checked.
 *
 * @throws UserError NOT_FOUND, IMAGE_TOO_LARGE or UNAVAILABLE
 */
export async function readImageFile(file: string, folder: string): Promise<Uint8Array> {
  try {
    const [real, root] = await Promise.all([realpath(file), realpath(folder)]);
    if (!isInside(root, real)) throw gone();
    const handle = await open(real, constants.O_RDONLY);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw gone();
      if (stats.size > MAX_IMAGE_MEBIBYTES * 1024 * 1024) throw tooLarge();
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (UserError.is(error)) throw error;
    throw new UserError(gone().failure, { cause: error });
  }
}

/** Whether a path is inside a folder and not the folder itself. Both must be absolute and without links. */
export function isInside(folder: string, path: string): boolean {
  const steps = relative(folder, path);
  return steps !== '' && steps !== '..' && !/^\.\.[\\/]/.test(steps) && !isAbsolute(steps);
}

function gone(): UserError {
  return new UserError({
    code: 'NOT_FOUND',
    error: 'The file of this screenshot does not exist or cannot be read.',
    hint: (toolName) =>
      `ManicTime deletes screenshots after some days. List the existing ones with ${toolName('list_screenshots')}.`,
  });
}

function tooLarge(): UserError {
  return new UserError({
    code: 'IMAGE_TOO_LARGE',
    error: `The screenshot file exceeds ${MAX_IMAGE_MEBIBYTES} MB.`,
    hint: (toolName) => `Choose another screenshot with ${toolName('list_screenshots')}.`,
  });
}
