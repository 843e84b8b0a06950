import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '@deskside/core/base';
import { readable } from '../files/update.ts';

/** The places of one deskside.toml: the file that the person edits, and the copy that the desk runs. */
export interface DeskPlaces {
  readonly file: string;
  /** Of the file: paths in it are relative to this folder. */
  readonly folder: string;
  readonly accepted: string;
  /** Folder of what the external servers of the accepted copy offer. */
  readonly listings: string;
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
  const folder = join(data, 'accepted');
  return {
    file,
    folder: dirname(file),
    accepted: join(folder, `${name}.toml`),
    listings: join(folder, name),
  };
}

/** @throws StartError for a file that exists and cannot be read */
export async function readTexts({ file, accepted }: DeskPlaces): Promise<DeskTexts> {
  return { current: await readable(file), accepted: await readable(accepted) };
}

/**
 * Accepts a text: from now on the desk runs it.
 *
 * @param text undefined if deskside.toml was deleted
 */
export async function accept({ accepted }: DeskPlaces, text: string | undefined): Promise<void> {
  if (text === undefined) await rm(accepted, { force: true });
  else await replaceFile(accepted, text);
}
