import { lstatSync, mkdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
// oxlint-disable-next-line eslint/no-restricted-imports -- whose files these are; Windows has no export `getuid`
import process from 'node:process';
import { checkPrivate } from '@deskside/core/base';
import { thisProcess } from '@deskside/core/program';
import { digestOf } from './digest.ts';

/** Characters of the digest that says where process ids mean the same. */
const PLACE_CHARACTERS = 8;
/** What an owner may still need if it cannot be known whether it lives. No lock is held for so long. */
const UNKNOWN_OWNER_MS = 60_000;
const OWNER = /^([0-9]+)\.([0-9]*)\.([0-9a-f]+)$/;

/** The only user who may own what was decided. Undefined on Windows, where the profile of a user excludes others. */
export function ownUid(): number | undefined {
  return process.getuid?.();
}

/**
 * Creates a folder that only this user may use, if it does not exist.
 *
 * @throws StartError if other users can use it; the system's error if it cannot be created
 */
export function openFolder(folder: string, uid = ownUid()): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkFolder(folder, uid);
}

/** Follows a link that this user has made, for example to another disk. @throws StartError as `openFolder` */
export function checkFolder(folder: string, uid: number | undefined): void {
  const link = lstatSync(folder);
  const isOwnLink = link.isSymbolicLink() && link.uid === uid;
  checkPrivate(folder, isOwnLink ? statSync(folder) : link, uid);
}

/**
 * This process as the owner of something in a file: its id, when it started, and on which boot of which machine, or in which
 * container. Process ids are used again; all three together are not.
 */
export function thisOwner(): string {
  const { id } = thisProcess();
  return `${id}.${startOf(id) ?? ''}.${place()}`;
}

/**
 * Whether an owner has ended, so that what it owned is free.
 *
 * @param since when it became the owner: one of another machine or container counts as ended some time later
 * @param unknownMs this time
 */
export function hasEnded(owner: string, since: Date, unknownMs = UNKNOWN_OWNER_MS): boolean {
  const [, pid = '', start = '', at] = OWNER.exec(owner) ?? [];
  const isLate = Date.now() - since.getTime() > unknownMs;
  if (at !== place()) return isLate;
  if (!thisProcess().isRunning(Number(pid))) return true;
  // Only Linux says when a process started.
  return start === '' ? isLate : start !== startOf(Number(pid));
}

function place(): string {
  const boot = unlessMissing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'));
  const space = unlessMissing(() => readlinkSync('/proc/self/ns/pid'));
  return digestOf([hostname(), boot ?? '', space ?? '']).slice(0, PLACE_CHARACTERS);
}

/** In the kernel's unit. @returns undefined for a process that has ended, and on other systems */
function startOf(pid: number): string | undefined {
  const fields = processFields(pid);
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** What Linux says of a process: state, the one that started it, and more. @returns none if it has ended */
export function processFields(pid: number): readonly string[] {
  const stat = unlessMissing(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The name of the program, in parentheses, may contain anything.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
}

function unlessMissing(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
