import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readlink, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Machine } from '../machine/machine.ts';
import { killTree } from './window-process.ts';

/** Bytes above which a profile is thrown away: it grows with use, and holds nothing worth keeping. */
const MOST = 100 * 1024 * 1024;
const ENTRANCE = 'entrance.html';

/**
 * A browser profile of the popup's own, kept because a used one starts faster. There is one popup at a time, so
 * a browser that still runs in it is the leftover of a server that was killed, or one that another server keeps idle.
 */
export async function freshProfile(folder: string, { platform }: Machine): Promise<string> {
  const leftover = await browserIn(folder);
  if (leftover !== undefined) killTree(platform, leftover);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

async function browserIn(folder: string): Promise<number | undefined> {
  const owner = await profileOwner(folder);
  // The lock may be older than the process that has this id now.
  return owner !== undefined && (await commandOf(owner)).includes(folder) ? owner : undefined;
}

/** The lock of a profile is a link to `host-pid`, where the platform has such links. */
async function profileOwner(folder: string): Promise<number | undefined> {
  const lock = await readlink(join(folder, 'SingletonLock')).catch(() => '');
  const [, host, pid] = /^(.*)-(\d+)$/.exec(lock) ?? [];
  return host === hostname() ? Number(pid) : undefined;
}

/** A browser packed as a snap can't read the runtime folder either, so it gets its entrance in the profile. */
export async function entranceIn(profile: string, entrance: string): Promise<string> {
  const copy = join(profile, ENTRANCE);
  await copyFile(entrance, copy);
  return copy;
}

/** Takes away the lock that a killed browser left, the entrance, and all the rest when it has become too much. */
export async function tidyProfile(folder: string): Promise<void> {
  // Another server may have killed our idle browser to use the profile.
  if ((await browserIn(folder)) !== undefined) return;
  await Promise.all(
    ['SingletonLock', 'SingletonSocket', 'SingletonCookie', ENTRANCE].map((name) =>
      rm(join(folder, name), { force: true }),
    ),
  );
  if ((await sizeOf(folder)) > MOST) await rm(folder, { recursive: true, force: true });
}

/** @returns '' where it can't be told */
function commandOf(pid: number): Promise<string> {
  return new Promise((resolve) => {
    execFile('ps', ['-p', `${pid}`, '-o', 'args='], (_, stdout) => resolve(stdout));
  });
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
