import { constants, type Dirent } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { formatDate } from '@deskside/core/dates';
import { errnoOf, UserError } from '@deskside/core/errors';
import type { LocalRange } from '../database/model/activity.ts';
import { type SortedShots, ShotList } from './shot-list.ts';
import { instantOfShot, parseShotFile, referenceOf, type Shot, type StoredShot } from './shot.ts';

/** What the folder contains. `empty`: no screenshot, whatever else is in it. */
export type FolderState =
  | { readonly kind: 'present'; readonly firstDay: string; readonly lastDay: string }
  | { readonly kind: 'empty' | 'absent' | 'unreadable' };

/** The screenshots folder. It contains one folder per day, or files directly. Listing never opens images. */
export class ScreenshotFolder {
  readonly #root: () => Promise<string | undefined>;

  /** @param root resolves with the folder, or undefined if it is not known yet */
  constructor(root: () => Promise<string | undefined>) {
    this.#root = root;
  }

  root(): Promise<string | undefined> {
    return this.#root();
  }

  async state(): Promise<FolderState> {
    const root = await this.#root();
    if (root === undefined) return { kind: 'absent' };
    try {
      await readdir(root);
      return await this.#span(root);
    } catch (error) {
      return { kind: isMissing(error) ? 'absent' : 'unreadable' };
    }
  }

  /** The days of the first and the last screenshot. ManicTime leaves empty folders when it deletes screenshots. */
  async #span(root: string): Promise<FolderState> {
    const single = await this.#shots(root);
    const days = Array.from(single.values(), ({ shot }) => formatDate(shot.local)).toSorted();
    const folders = await this.#days(root);
    const ends = [
      days[0],
      days.at(-1),
      await this.#firstWithShots(root, folders),
      await this.#firstWithShots(root, folders.toReversed()),
    ]
      .filter((day) => day !== undefined)
      .toSorted();
    const [firstDay, lastDay] = [ends[0], ends.at(-1)];
    return firstDay === undefined || lastDay === undefined
      ? { kind: 'empty' }
      : { kind: 'present', firstDay, lastDay };
  }

  async #firstWithShots(root: string, days: readonly string[]): Promise<string | undefined> {
    for (const day of days) if ((await this.#shots(join(root, day))).size > 0) return day;
    return undefined;
  }

  /**
   * The screenshots of a range, ordered by time. Reads the folder of each day once.
   *
   * @param checkpoint called after each folder with the part that is done, from 0 to 1; it may throw
   */
  async shotsIn(
    { from, to }: LocalRange,
    checkpoint: (done: number) => void = () => undefined,
  ): Promise<SortedShots> {
    const list = new ShotList();
    const root = await this.#root();
    if (root === undefined) return list.sorted();
    const inRange = ({ local }: Shot) => local >= from && local < to;
    const single = await this.#shots(root);
    for (const { shot, thumbnailFile } of single.values()) {
      if (inRange(shot)) list.add(shot, thumbnailFile !== undefined);
    }
    const [first, last] = [formatDate(from), formatDate(to - 1)];
    const days = (await this.#days(root)).filter((day) => day >= first && day <= last);
    for (const [index, day] of days.entries()) {
      for (const [identity, { shot, thumbnailFile }] of await this.#shots(join(root, day))) {
        if (inRange(shot) && !single.has(identity)) list.add(shot, thumbnailFile !== undefined);
      }
      checkpoint((index + 1) / days.length);
    }
    return list.sorted();
  }

  /** The screenshot of a decoded reference, if its files still exist. */
  async find(shot: Shot): Promise<StoredShot | undefined> {
    const root = await this.#root();
    if (root === undefined) return undefined;
    for (const folder of [join(root, formatDate(shot.local)), root]) {
      const files = (await this.#shots(folder)).get(identityOf(shot));
      if (files === undefined) continue;
      const { fullFile, thumbnailFile } = files;
      return {
        ...shot,
        instant: instantOfShot(shot),
        reference: referenceOf(shot),
        hasThumbnail: thumbnailFile !== undefined,
        fullFile,
        thumbnailFile,
      };
    }
    return undefined;
  }

  /** The days with a folder, oldest first. */
  async #days(root: string): Promise<string[]> {
    const entries = await readdir(root).catch(emptyIfMissing);
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

  /** The screenshots of one folder by identity. */
  async #shots(folder: string): Promise<ReadonlyMap<string, ShotFiles>> {
    const shots = new Map<string, ShotFiles>();
    for (const name of await this.#filesIn(folder)) {
      const parsed = parseShotFile(name);
      if (parsed === undefined) continue;
      const identity = identityOf(parsed.shot);
      const known = shots.get(identity) ?? { shot: parsed.shot };
      known[parsed.isThumbnail ? 'thumbnailFile' : 'fullFile'] = join(folder, name);
      shots.set(identity, known);
    }
    return shots;
  }
}

interface ShotFiles {
  readonly shot: Shot;
  fullFile?: string;
  thumbnailFile?: string;
}

/** An image and its thumbnail have one identity, and so have names with and without a plus sign. */
function identityOf({ local, offset, width, height, sequence, monitor }: Shot): string {
  return `${local} ${offset} ${width} ${height} ${sequence} ${monitor}`;
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
