import { once } from 'node:events';
import { link, readdir, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errnoOf, StartError } from '@deskside/core/errors';
import { type DeskRecord, latestRecord, openDeskFolder, recordFile } from './record.ts';

/** The shortest limit for the path of a Unix socket (macOS), without the final zero byte. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Where a desk puts its socket and its record. */
export interface DeskPlace {
  readonly folder: string;
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
}

/**
 * Listens at an address that no other desk uses.
 *
 * @param number of the record that will name the address
 * @throws StartError if no folder has a path that is short enough
 */
export async function listenAt(server: Server, place: DeskPlace, number: number): Promise<string> {
  const address = socketAddress(place, `${number}-${crypto.randomUUID().slice(0, 8)}`);
  server.listen(address);
  await once(server, 'listening');
  return address;
}

/**
 * @param name of the socket, without its extension
 * @throws StartError as `listenAt`; UnsafePath if other users can use the folder in the temporary folder
 */
export function socketAddress({ folder, platform, uid }: DeskPlace, name: string): string {
  // The system gives other users no write access to a pipe, and `latestRecord` trusts no pipe of a desk that has ended.
  if (platform === 'win32') return String.raw`\\.\pipe\deskside-${name}`;
  const temporary = join(tmpdir(), `deskside-${uid}`);
  for (const parent of [folder, temporary]) {
    const path = join(parent, `${name}.sock`);
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) continue;
    if (parent === temporary) openDeskFolder(temporary, uid);
    return path;
  }
  throw new StartError(`The path of the folder ${folder} is too long for a socket, and so is ${temporary}.`);
}

/**
 * Makes a desk the present one of its folder, unless another desk was faster.
 *
 * @returns true if clients find this desk from now on
 */
export async function publish({ folder, uid }: DeskPlace, record: DeskRecord): Promise<boolean> {
  const { number, ...content } = record;
  const file = recordFile(folder, number);
  const draft = join(folder, crypto.randomUUID());
  await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  try {
    // A link is atomic: of two desks at once one wins, and no client reads half a record.
    await link(draft, file);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  if (latestRecord(folder, uid).number === number) return true;
  // A desk with a higher number was faster, and has deleted the lower ones since this one looked.
  await rm(file, { force: true });
  return false;
}

/** Deletes what earlier desks left. Their numbers stay used as long as a higher record exists. */
export async function removeOlder(folder: string, number: number): Promise<void> {
  const names = await readdir(folder);
  const old = names.filter(
    (name) => Number(/^(\d+)(?:-[\da-f]+)?\.(?:json|sock)$/.exec(name)?.[1] ?? number) < number,
  );
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
}
