import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { getOrAdd } from '@deskside/core/base';
import { formatDate } from '@deskside/core/dates';
import { errnoOf, UserError } from '@deskside/core/errors';
import type { LocalRange } from '../database/model/activity.ts';
import { byTime, referenceOf, type Shot, shotOfName, stemOf, type TakenShot } from './shot.ts';

/** What the folder contains. `empty`: no screenshot, whatever else is in it. */
export type FolderState =
  | { readonly kind: 'present'; readonly firstDay: string; readonly lastDay: string }
  | { readonly kind: 'empty' | 'absent' | 'unreadable' };

/** The screenshots folder. It contains one folder per day, or files directly. Listing never opens images. */
export class ScreenshotFolder {
  readonly root: () => Promise<string | undefined>;

  /** @param root resolves with the folder, or undefined if it is not known yet */
  constructor(root: () => Promise<string | undefined>) {
    this.root = root;
  }

  async state(): Promise<FolderState> {
    const root = await this.root();
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
    const days = await daysIn(root);
    const first = async (ordered: readonly string[]) => {
      for (const day of ordered) if ((await shotsOf(root, join(root, day))).length > 0) return [day];
      return [];
    };
    const single = await shotsOf(root, root);
    const ends = [
      ...single.map(({ local }) => formatDate(local)),
      ...(await first(days)),
      ...(await first(days.toReversed())),
    ].toSorted();
    const [firstDay, lastDay] = [ends[0], ends.at(-1)];
    return firstDay === undefined || lastDay === undefined
      ? { kind: 'empty' }
      : { kind: 'present', firstDay, lastDay };
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
    const root = await this.root();
    if (root === undefined) return [];
    const taken = new Map<string, TakenShot>();
    const [first, last] = [formatDate(from), formatDate(to - 1)];
    const days = (await daysIn(root)).filter((day) => day >= first && day <= last);
    const folders = [root, ...days.map((day) => join(root, day))];
    for (const [index, folder] of folders.entries()) {
      for (const shot of await shotsOf(root, folder))
        if (shot.local >= from && shot.local < to) getOrAdd(taken, shot.reference, () => shot);
      checkpoint((index + 1) / folders.length);
    }
    return [...taken.values()].toSorted(byTime);
  }

  /** The screenshot of a decoded reference, if its files still exist. */
  async find(shot: Shot): Promise<TakenShot | undefined> {
    const root = await this.root();
    if (root === undefined) return undefined;
    const [date = '', time = ''] = stemOf(shot).split('_');
    const taken = [root, join(root, date)].map((folder) => shotsOf(root, folder, `${date}_${time}`));
    const reference = referenceOf(shot);
    return (await Promise.all(taken)).flat().find((other) => other.reference === reference);
  }

  /**
   * Reads a regular file of the folder. Links are resolved before the path is checked.
   *
   * @throws UserError NOT_FOUND or IMAGE_TOO_LARGE
   */
  async read(file: string): Promise<Uint8Array> {
    try {
      const [real, root] = await Promise.all([realpath(file), realpath((await this.root()) ?? '')]);
      if (!isInside(root, real)) throw gone();
      await using handle = await open(real, constants.O_RDONLY);
      const stats = await handle.stat();
      if (!stats.isFile()) throw gone();
      if (stats.size > MAX_IMAGE_MEBIBYTES * 1024 * 1024) throw tooLarge();
      return await handle.readFile();
    } catch (error) {
      if (UserError.is(error)) throw error;
      throw new UserError(gone().failure, { cause: error });
    }
  }
}

/** The folders of days, oldest first. */
async function daysIn(root: string): Promise<string[]> {
  const names = await readdir(root).catch(noneIfMissing);
  return names.filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name)).toSorted();
}

/** Those of one folder whose names begin with `start`, without links out of the screenshots folder. */
async function shotsOf(root: string, folder: string, start = ''): Promise<TakenShot[]> {
  if (!(await leadsInto(root, folder))) return [];
  const shots = new Map<string, TakenShot>();
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(noneIfMissing)) {
    // A day has thousands of names, and to read one takes longer than to compare it.
    const parsed = entry.name.startsWith(start) ? shotOfName(entry.name) : undefined;
    if (parsed === undefined) continue;
    const file = join(folder, entry.name);
    if (!entry.isFile() && !(entry.isSymbolicLink() && (await leadsInto(root, file)))) continue;
    const { shot, isThumbnail } = parsed;
    const reference = referenceOf(shot);
    const none = { fullFile: undefined, thumbnailFile: undefined };
    const known = shots.get(reference) ?? {
      ...shot,
      ...none,
      reference,
      instant: shot.local - shot.offset * 60,
    };
    shots.set(reference, { ...known, [isThumbnail ? 'thumbnailFile' : 'fullFile']: file });
  }
  return [...shots.values()];
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

function noneIfMissing(error: unknown): [] {
  if (isMissing(error)) return [];
  throw error;
}

const MAX_IMAGE_MEBIBYTES = 64;

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
