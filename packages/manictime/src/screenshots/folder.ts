import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatDate } from '../time/wall-clock.ts';
import type { LocalRange } from '../timeline/activity.ts';
import { instantOfShot, parseShotFile, type Shot } from './file-name.ts';
import { referenceOf } from './reference.ts';

/** A shot with the files there are of it. */
export interface StoredShot extends Shot {
  readonly reference: string;
  /** UTC seconds. */
  readonly instant: number;
  readonly fullFile: string | undefined;
  readonly thumbnailFile: string | undefined;
}

export type FolderState = 'present' | 'empty' | 'absent' | 'unreadable';

/** How many listings are kept; one a day folder. */
const KEPT_LISTINGS = 64;

/** Milliseconds that file systems may count as one. */
const MOMENT_MS = 100;

/** The folder of screenshots: a folder a day, or files side by side. Images are never opened here. */
export class ScreenshotFolder {
  readonly #root: () => Promise<string | undefined>;
  readonly #listings = new Map<string, { readonly changed: number; readonly shots: readonly StoredShot[] }>();

  /** @param root resolves with the folder; undefined while it is unknown */
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

  /** The shots of a range in order of their instants; only the folders of its days are read. */
  async shotsIn({ from, to }: LocalRange): Promise<StoredShot[]> {
    const root = await this.#root();
    if (root === undefined) return [];
    const shots = [...(await this.#list(root))];
    const [first, last] = [formatDate(from), formatDate(to - 1)];
    for (const day of await this.days()) {
      if (day < first || day > last) continue;
      // Not spread: a long range has more shots than a call takes arguments.
      for (const shot of await this.#list(join(root, day))) shots.push(shot);
    }
    const inRange = shots.filter(({ local }) => local >= from && local < to);
    return withoutDuplicates(inRange).toSorted(byInstant);
  }

  /** The shot that a reference means, if its files are still there. */
  async find(shot: Shot): Promise<StoredShot | undefined> {
    const root = await this.#root();
    if (root === undefined) return undefined;
    const reference = referenceOf(shot);
    const folders = [join(root, formatDate(shot.local)), root];
    const listings = await Promise.all(folders.map((folder) => this.#list(folder)));
    return listings.flat().find((stored) => stored.reference === reference);
  }

  /** The days that have a folder, oldest first. */
  async days(): Promise<string[]> {
    const root = await this.#root();
    const entries = root === undefined ? [] : await readdir(root).catch(nothingIfMissing);
    return entries.filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name)).toSorted();
  }

  async #list(folder: string): Promise<readonly StoredShot[]> {
    // Before the listing: what is added meanwhile makes the next call list again.
    const changed = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (changed === undefined) return [];
    const known = this.#listings.get(folder);
    if (known?.changed === changed) return known.shots;
    const shots = shotsAmong(folder, await readdir(folder).catch(nothingIfMissing));
    this.#listings.delete(folder);
    // Two changes of one moment leave the same time: such a listing may lack the second.
    if (Date.now() - changed < MOMENT_MS) return shots;
    this.#listings.set(folder, { changed, shots });
    const [oldest] = this.#listings.keys();
    if (this.#listings.size > KEPT_LISTINGS && oldest !== undefined) this.#listings.delete(oldest);
    return shots;
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
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function nothingIfMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}
