import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { SystemInfo } from '../desktop/system.ts';
import { killProcessTree } from './process.ts';

/** A larger profile is deleted: it grows with use and contains nothing of value. */
const MAX_PROFILE_BYTES = 100 * 1024 * 1024;
const REDIRECT_FILE = 'popup.html';

/** More servers than this do not show a window at the same time. */
const MAX_PROFILES = 8;
/** Contains the process id of the server that uses the profile. */
const SERVER_FILE = 'deskside-server';

const LOCK_FILES = ['SingletonLock', 'SingletonSocket', 'SingletonCookie'];
/** Titles of questions, typed texts and addresses. */
const PRIVATE_FILES = ['History', 'Sessions', 'Sessions_Encrypted', 'Top Sites', 'Favicons']
  .flatMap((name) => [join('Default', name), join('Default', `${name}-journal`)])
  .concat('Crash Reports');

/**
 * Prepares the popup's browser profile. The profile stays after the popup, because a browser starts faster with a used
 * one. A user has one popup at a time, so a browser that still runs in the profile almost always belongs to a killed
 * server: it is killed. If its server lives, another profile is used.
 *
 * @returns the folder of the profile
 */
export async function claimProfile(
  folder: string,
  { platform, processId }: SystemInfo,
  keepsNothing = false,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const profile = number === 1 ? folder : `${folder}-${number}`;
    const leftover = await browserIn(profile);
    const server = Number(await readFile(join(profile, SERVER_FILE), 'utf8').catch(() => ''));
    const isOther = server > 0 && server !== processId;
    const isInUse = leftover !== undefined && isOther && (await commandOf(server)) !== '';
    const { host = hostname() } = await lockOf(profile);
    // Of another machine that shares this home folder, or left by a crash before the name of this machine changed. With
    // both Chromium shows a question of its own.
    const isLockedElsewhere = host !== hostname();
    if ((isInUse || isLockedElsewhere) && number < MAX_PROFILES) continue;
    if (leftover !== undefined) killProcessTree(platform, leftover);
    if (keepsNothing) await rm(profile, { recursive: true, force: true });
    // After a browser that was killed.
    await deletePrivate(profile, [...PRIVATE_FILES, ...LOCK_FILES]);
    await mkdir(profile, { recursive: true, mode: 0o700 });
    await writeFile(join(profile, SERVER_FILE), String(processId), { mode: 0o600 });
    return profile;
  }
}

/** A browser from a snap package cannot read the runtime folder, so it gets a copy in the profile. */
export async function copyRedirectFile(profile: string, redirectFile: string): Promise<string> {
  const copy = join(profile, REDIRECT_FILE);
  await copyFile(redirectFile, copy);
  return copy;
}

/** Deletes the lock of a killed browser, the redirect file and what is private, and the whole profile if it is too large. */
export async function cleanUpProfile(folder: string, keepsNothing = false): Promise<void> {
  // A server with another runtime folder does not see our lock, and may use the profile now.
  if ((await browserIn(folder)) !== undefined) return;
  await deletePrivate(folder, [...PRIVATE_FILES, ...LOCK_FILES, REDIRECT_FILE, SERVER_FILE]);
  if (keepsNothing || (await sizeOf(folder)) > MAX_PROFILE_BYTES)
    await rm(folder, { recursive: true, force: true });
}

export async function deletePrivate(profile: string, names: readonly string[]): Promise<void> {
  // Windows deletes no file that is open.
  await Promise.allSettled(names.map((name) => rm(join(profile, name), { recursive: true, force: true })));
}

/** @returns the process id */
async function browserIn(folder: string): Promise<number | undefined> {
  const { host, pid } = await lockOf(folder);
  // The lock may be old, and its process id in use by another program.
  return host === hostname() && (await commandOf(pid)).includes(folder) ? pid : undefined;
}

/** The lock of a profile is a symbolic link to `host-pid`. Windows has none. */
async function lockOf(folder: string) {
  const lock = await readlink(join(folder, 'SingletonLock')).catch(() => '');
  const [, host, pid] = /^(.*)-(\d+)$/.exec(lock) ?? [];
  return { host, pid: Number(pid) };
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
  const files = entries
    .filter((entry) => entry.isFile())
    // The browser may have deleted it since.
    .map(({ parentPath, name }) => stat(join(parentPath, name)).catch(() => undefined));
  return (await Promise.all(files)).reduce((sum, stats) => sum + (stats?.size ?? 0), 0);
}
