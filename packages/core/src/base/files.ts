import { randomUUID } from 'node:crypto';
import { accessSync, existsSync, readdirSync, type Stats } from 'node:fs';
import { link, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errnoOf, messageOf, StartError, unlessStartFails } from '../errors/index.ts';

/**
 * Replaces a file in one step, so that no program reads half of it. Creates its folder, with mode 0700.
 *
 * @param mode of the new file; default: private
 * @param owner of the new file, as far as this process may choose it
 */
export function replaceFile(
  file: string,
  text: string,
  mode = 0o600,
  owner?: Pick<Stats, 'uid' | 'gid'>,
): Promise<void> {
  return putFile(moveOver, file, text, mode, owner);
}

/**
 * Creates a private file in one step, as `replaceFile` does. Of two processes at once one does it.
 *
 * @returns false if the file exists
 */
export async function createFile(file: string, text: string): Promise<boolean> {
  let isNew = true;
  const put = async (draft: string) =>
    link(draft, file).catch((error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error;
      isNew = false;
    });
  await putFile(put, file, text, 0o600);
  return isNew;
}

async function putFile(put: typeof moveOver, file: string, ...content: Content): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeDraft(draft, ...content);
    await put(draft, file);
  } catch (error) {
    // A person knows this file, and not the draft. Of a disk that is full, the system names none.
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Deletes what a program that was killed in `replaceFile` has left beside a file. Only for a program that alone may replace the file
 * now.
 */
export async function removeDrafts(file: string): Promise<void> {
  // A draft is beside what is replaced, and not beside a link to it.
  const target = await realpath(file).catch(() => file);
  const folder = dirname(target);
  const drafts = namesIn(folder).filter((name) => name.startsWith(`${basename(target)}.`));
  for (const name of drafts)
    if (UUID.test(name.slice(basename(target).length + 1))) await rm(join(folder, name), { force: true });
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const BUSY_CODES: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY']);
const MAX_RETRIES = 20;
const RETRY_INTERVAL_MS = 50;

/** Windows replaces no file while a virus scanner, an indexer or another reader has it open, usually for a moment. */
async function moveOver(draft: string, file: string): Promise<void> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await rename(draft, file);
    } catch (error) {
      const isBusy = platform() === 'win32' && BUSY_CODES.has(errnoOf(error));
      if (!isBusy || retries === MAX_RETRIES) throw error;
    }
    await wait(RETRY_INTERVAL_MS);
  }
}

type Content = readonly [text: string, mode: number, owner?: Pick<Stats, 'uid' | 'gid'>];

/** By its handle: in a folder of another user the path could become a link. */
async function writeDraft(draft: string, ...[text, mode, owner]: Content): Promise<void> {
  await using handle = await open(draft, 'wx', mode & 0o700);
  await handle.writeFile(text);
  // Only root gives files away, and others are members of some groups only. Another group gets no rights.
  const hasGroup =
    owner === undefined ||
    (await handle
      .chown(owner.uid, owner.gid)
      .catch(() => handle.chown(-1, owner.gid))
      .then(
        () => true,
        () => false,
      ));
  const granted = hasGroup ? mode : mode & 0o707;
  // What others may do is added last, and not reduced by the umask. Some file systems have no modes.
  if ((granted & 0o077) !== 0) await handle.chmod(granted).catch(() => undefined);
}

/** All names in a folder; none if it does not exist. @throws StartError for a folder that cannot be read */
export function allNamesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return [];
    const reason =
      code === 'ENOTDIR'
        ? `${existingPart(folder)} is a file. Move it away.`
        : `${messageOf(error)}. Make it readable for this user.`;
    throw new StartError(`The folder ${folder} cannot be read: ${reason}`, { cause: error });
  }
}

/** The path itself, or the nearest part of it that exists. */
export function existingPart(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : existingPart(dirname(path));
}

/**
 * @param mode such as `constants.W_OK`
 * @returns the code of the system's error; undefined if this user has the access
 */
export function accessProblem(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return errnoOf(error) ?? 'unknown error';
  }
}

/** As `allNamesIn`, also without a name if the folder cannot be read: for a search that may find nothing. */
export function namesIn(folder: string): readonly string[] {
  return unlessStartFails(() => allNamesIn(folder)) ?? [];
}
