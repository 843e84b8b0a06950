import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';

/** The places of one deskside.toml: the file that the person edits, and the copy that the desk runs. */
export interface DeskPlaces {
  readonly file: string;
  readonly accepted: string;
}

/** The text of both; undefined for a file that does not exist. */
export interface DeskTexts {
  readonly current: string | undefined;
  readonly accepted: string | undefined;
}

/**
 * @param file path of deskside.toml
 * @param data folder for accepted copies: one per path, so that `--config` can name several files
 */
export function placesOf(file: string, data: string): DeskPlaces {
  const name = createHash('sha256').update(file).digest('hex').slice(0, 16);
  return { file, accepted: join(data, 'accepted', `${name}.toml`) };
}

/** @throws StartError for a file that exists and cannot be read */
export async function readTexts({ file, accepted }: DeskPlaces): Promise<DeskTexts> {
  return { current: await textOf(file), accepted: await textOf(accepted) };
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw new StartError(`${file} cannot be read (${messageOf(error)}). Correct it.`, { cause: error });
  }
}

/**
 * Accepts a text: from now on the desk runs it.
 *
 * @param text undefined if deskside.toml was deleted
 */
export async function accept({ accepted }: DeskPlaces, text: string | undefined): Promise<void> {
  if (text === undefined) {
    await rm(accepted, { force: true });
    return;
  }
  await mkdir(dirname(accepted), { recursive: true, mode: 0o700 });
  const draft = `${accepted}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, accepted);
}
