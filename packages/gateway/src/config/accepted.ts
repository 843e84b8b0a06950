import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '@deskside/core/base';
import { readable } from '../files/edited.ts';
import { DamagedRecord, privateText, unlessDamaged } from '../files/private-json.ts';

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
  const name = sha256(file).slice(0, 16);
  const folder = join(data, 'accepted');
  return {
    file,
    folder: dirname(file),
    accepted: join(folder, `${name}.toml`),
    listings: join(folder, name),
  };
}

/**
 * @param onDamage called for a copy that is damaged, which then counts as missing. Default: DamagedRecord is thrown
 * @throws StartError for a file that exists and cannot be read
 */
export async function readTexts(places: DeskPlaces, onDamage?: (file: string) => void): Promise<DeskTexts> {
  const read = () => readAccepted(places);
  const accepted = await (onDamage === undefined ? read() : unlessDamaged(read, onDamage));
  return { current: await readable(places.file), accepted };
}

/**
 * The accepted text. The first line of the copy is a digest of the others: one that is cut off can be valid, and lack what the
 * person has forbidden.
 *
 * @throws StartError for a copy that cannot be read, DamagedRecord for one that is not whole
 */
export async function readAccepted({ accepted }: DeskPlaces): Promise<string | undefined> {
  const sealed = await privateText(accepted);
  if (sealed === undefined) return undefined;
  const text = sealed.slice(sealed.indexOf('\n') + 1);
  if (sealed !== withDigest(text)) throw new DamagedRecord(accepted);
  return text;
}

/**
 * Accepts a text: from now on the desk runs it.
 *
 * @param text undefined if deskside.toml was deleted
 */
export async function accept({ accepted }: DeskPlaces, text: string | undefined): Promise<void> {
  if (text === undefined) await rm(accepted, { force: true });
  else await replaceFile(accepted, withDigest(text));
}

function withDigest(text: string): string {
  return `# sha256 ${sha256(text)}\n${text}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
