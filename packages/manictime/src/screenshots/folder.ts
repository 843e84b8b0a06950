import { constants, type Dirent } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { formatDate } from '@deskside/core/dates';
import { errnoOf, UserError } from '@deskside/core/errors';
import type { LocalRange } from '../database/model/activity.ts';
import {
  byTime,
  instantOfShot,
  namePrefix,
  referenceOf,
  type Shot,
  shotName,
  shotOfStem,
  type StoredShot,
  type TakenShot,
} from './shot.ts';

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

  async #firstWithShots(root: string, days: readonly Dirent[]): Promise<string | undefined> {
    for (const day of days) if ((await this.#shotsOfDay(root, day)).size > 0) return day.name;
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
  ): Promise<TakenShot[]> {
    const taken: TakenShot[] = [];
    const root = await this.#root();
    if (root === undefined) return taken;
    const add = ({ shot, thumbnail }: ShotFiles) => {
      if (shot.local < from || shot.local >= to) return;
      taken.push({ ...shot, instant: instantOfShot(shot), hasThumbnail: thumbnail !== undefined });
    };
    const single = await this.#shots(root);
    for (const files of single.values()) add(files);
    const [first, last] = [formatDate(from), formatDate(to - 1)];
    const days = (await this.#days(root)).filter(({ name }) => name >= first && name <= last);
    for (const [index, day] of days.entries()) {
      for (const [stem, files] of await this.#shotsOfDay(root, day)) if (!single.has(stem)) add(files);
      checkpoint((index + 1) / days.length);
    }
    return taken.toSorted(byTime);
  }

  /** The screenshot of a decoded reference, if its files still exist. */
  async find(shot: Shot): Promise<StoredShot | undefined> {
    const root = await this.#root();
    if (root === undefined) return undefined;
    for (const folder of [join(root, formatDate(shot.local)), root]) {
      if (!(await leadsInto(root, folder))) continue;
      const found = await this.#filesOf(folder, shot);
      if (found === undefined) continue;
      const { image, thumbnail } = found;
      return {
        ...shot,
        instant: instantOfShot(shot),
        reference: referenceOf(shot),
        hasThumbnail: thumbnail !== undefined,
        fullFile: image === undefined ? undefined : join(folder, image),
        thumbnailFile: thumbnail === undefined ? undefined : join(folder, thumbnail),
      };
    }
    return undefined;
  }

  /** The files of a screenshot, whatever its name looks like. */
  async #filesOf(folder: string, shot: Shot): Promise<ShotFiles | undefined> {
    const reference = referenceOf(shot);
    const prefix = namePrefix(shot.local);
    const shots = await this.#shots(folder, (name) => name.startsWith(prefix));
    return [...shots.values()].find((files) => referenceOf(files.shot) === reference);
  }

  /** The folders of days, oldest first. */
  async #days(root: string): Promise<Dirent[]> {
    const entries = await readdir(root, { withFileTypes: true }).catch(noneIfMissing);
    return entries
      .filter(({ name }) => /^\d{4}-\d{2}-\d{2}$/.test(name))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Without a link out of the screenshots folder. */
  async #shotsOfDay(root: string, day: Dirent): Promise<ReadonlyMap<string, ShotFiles>> {
    const folder = join(root, day.name);
    return day.isDirectory() || (await leadsInto(root, folder)) ? this.#shots(folder) : new Map();
  }

  /** The screenshots of one folder by stem, without links out of the screenshots folder. */
  async #shots(
    folder: string,
    isWanted: (name: string) => boolean = () => true,
  ): Promise<ReadonlyMap<string, ShotFiles>> {
    const root = await this.#root();
    const shots = new Map<string, ShotFiles>();
    const entries = await readdir(folder, { withFileTypes: true }).catch(noneIfMissing);
    for (const entry of entries) {
      const { name } = entry;
      if (!isWanted(name)) continue;
      if (!entry.isFile()) {
        const isOwn =
          entry.isSymbolicLink() && root !== undefined && (await leadsInto(root, join(folder, name)));
        if (!isOwn) continue;
      }
      const parts = shotName(name);
      if (parts === undefined) continue;
      let files = shots.get(parts.stem);
      if (files === undefined) {
        const shot = shotOfStem(parts.stem);
        if (shot === undefined) continue;
        files = { shot };
        shots.set(parts.stem, files);
      }
      files[parts.isThumbnail ? 'thumbnail' : 'image'] = name;
    }
    return shots;
  }
}

interface ShotFiles {
  readonly shot: Shot;
  /** Names of files. */
  image?: string;
  thumbnail?: string;
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
