import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readlink, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { SystemInfo } from '../desktop/system.ts';
import { killProcessTree } from './process.ts';

/** A larger profile is deleted: it grows with use and contains nothing of value. */
const MAX_PROFILE_BYTES = 100 * 1024 * 1024;
const REDIRECT_FILE = 'popup.html';

/**
 * Prepares the popup's browser profile. The profile stays after the popup, because a browser starts faster with a used
 * one. A user has one popup at a time, so a browser that still runs in the profile belongs to a killed server: it is
 * killed.
 */
export async function claimProfile(folder: string, { platform }: SystemInfo): Promise<void> {
  const leftover = await browserIn(folder);
  if (leftover !== undefined) killProcessTree(platform, leftover);
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/** A browser from a snap package cannot read the runtime folder, so it gets a copy in the profile. */
export async function copyRedirectFile(profile: string, redirectFile: string): Promise<string> {
  const copy = join(profile, REDIRECT_FILE);
  await copyFile(redirectFile, copy);
  return copy;
}

/** Deletes the lock of a killed browser and the redirect file, and the whole profile if it is too large. */
export async function cleanUpProfile(folder: string): Promise<void> {
  // A server with another runtime folder does not see our lock, and may use the profile now.
  if ((await browserIn(folder)) !== undefined) return;
  await Promise.all(
    ['SingletonLock', 'SingletonSocket', 'SingletonCookie', REDIRECT_FILE].map((name) =>
      rm(join(folder, name), { force: true }),
    ),
  );
  if ((await sizeOf(folder)) > MAX_PROFILE_BYTES) await rm(folder, { recursive: true, force: true });
}

/** @returns the process id */
async function browserIn(folder: string): Promise<number | undefined> {
  const owner = await profileOwner(folder);
  // The lock may be old, and its process id in use by another program.
  return owner !== undefined && (await commandOf(owner)).includes(folder) ? owner : undefined;
}

/** The lock of a profile is a symbolic link to `host-pid`. Windows has none. */
async function profileOwner(folder: string): Promise<number | undefined> {
  const lock = await readlink(join(folder, 'SingletonLock')).catch(() => '');
  const [, host, pid] = /^(.*)-(\d+)$/.exec(lock) ?? [];
  return host === hostname() ? Number(pid) : undefined;
}

/** @returns '' if the process does not exist */
function commandOf(pid: number): Promise<string> {
  return new Promise((resolve) => {
    execFile('ps', ['-p', `${pid}`, '-o', 'args='], (_, stdout) => resolve(stdout));
  });
}

/** Bytes. */
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
