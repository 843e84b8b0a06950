import { closeSync, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
// oxlint-disable-next-line eslint/no-restricted-imports -- the only way to ask for a process
import { kill } from 'node:process';
import { isObject, parse } from './message.ts';

/** Where a desk listens, and what it is. One file per desk; the highest number is the present desk. */
export interface DeskRecord {
  readonly number: number;
  /** Path of a Unix socket, or name of a Windows pipe. */
  readonly address: string;
  /** The first message of every connection contains it. */
  readonly secret: string;
  readonly pid: number;
}

/** Permissions of the group and of others. */
const SHARED_MODE = 0o077;

const RECORD = /^(\d{1,15})\.json$/;

/** A folder or file of the desk that other users could read or replace. */
export class UnsafePath extends Error {
  override readonly name = 'UnsafePath';
}

/** @param data the user data folder of Deskside */
export function deskFolder(data: string): string {
  return join(data, 'desk');
}

export function recordFile(folder: string, number: number): string {
  return join(folder, `${number}.json`);
}

/**
 * Creates the folder if it does not exist.
 *
 * @param uid of this process; undefined on Windows, where the mode says nothing
 * @throws UnsafePath if other users can use it; the system's error if it cannot be created
 */
export function openDeskFolder(folder: string, uid: number | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkPrivate(folder, lstatSync(folder), uid);
}

/** The present desk of a folder. */
export interface Latest {
  /** 0 if the folder never had a desk. */
  readonly number: number;
  /** Undefined if no desk is known, if the file is damaged, or on Windows if the desk has ended. */
  readonly record?: DeskRecord;
}

/**
 * Reads the record with the highest number.
 *
 * @throws UnsafePath if other users can use the folder or the file
 */
export function latestRecord(folder: string, uid: number | undefined): Latest {
  const number = latestNumber(folder, uid);
  if (number === 0) return { number };
  const file = recordFile(folder, number);
  let descriptor: number | undefined;
  try {
    // One descriptor for both questions, so that the file that is checked is the file that is read.
    descriptor = openSync(file, 'r');
    checkPrivate(file, fstatSync(descriptor), uid);
    const content = parse(readFileSync(descriptor, 'utf8'));
    return isRecord(content) && mayListen(content.pid, uid)
      ? { number, record: { ...content, number } }
      : { number };
  } catch (error) {
    if (error instanceof UnsafePath) throw error;
    return { number };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** @returns 0 if the folder has no record, or does not exist */
function latestNumber(folder: string, uid: number | undefined): number {
  try {
    checkPrivate(folder, lstatSync(folder), uid);
    return Math.max(0, ...readdirSync(folder).map((name) => Number(RECORD.exec(name)?.[1] ?? 0)));
  } catch (error) {
    if (error instanceof UnsafePath) throw error;
    return 0;
  }
}

function isRecord(content: unknown): content is Omit<DeskRecord, 'number'> {
  return (
    isObject(content) &&
    typeof content['address'] === 'string' &&
    typeof content['secret'] === 'string' &&
    content['secret'].length >= 16 &&
    typeof content['pid'] === 'number'
  );
}

/**
 * On Windows the name of a pipe is visible and, after its desk has ended, free: another user could take it and get the
 * secret of the next client. A process that this user may not end is not the desk.
 */
function mayListen(pid: number, uid: number | undefined): boolean {
  if (uid !== undefined) return true;
  try {
    return kill(pid, 0);
  } catch {
    return false;
  }
}

function checkPrivate(
  path: string,
  stats: { readonly uid: number; readonly mode: number },
  uid: number | undefined,
): void {
  // On Windows the mode says nothing: a folder in the user's profile inherits permissions that exclude other users.
  if (uid === undefined) return;
  if (stats.uid !== uid) throw new UnsafePath(`${path} belongs to another user. Delete it.`);
  if ((stats.mode & SHARED_MODE) === 0) return;
  const bits = path.endsWith('.json') ? '600' : '700';
  throw new UnsafePath(
    `Other users can use ${path}. Run: chmod ${bits} '${path.replaceAll("'", String.raw`'\''`)}'`,
  );
}
