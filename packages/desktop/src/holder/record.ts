import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
// oxlint-disable-next-line eslint/no-restricted-imports -- the only way to ask for a process
import { kill } from 'node:process';
import { checkPrivate, parseObject } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import { checkFolder } from '../files/owner.ts';

/** The folder in which the holders of one thing follow each other. */
export interface HolderPlace {
  /** Private to the user, and the same for all processes that look for the holder. */
  readonly folder: string;
  /** Of this process. Undefined on Windows, where the mode of a file says nothing. */
  readonly uid: number | undefined;
}

/** Where a holder listens, and what it is. One file per holder; the highest number is the present holder. */
export interface HolderRecord {
  readonly number: number;
  /** Path of a Unix socket, or name of a Windows pipe. */
  readonly address: string;
  /** The first line of every connection contains it. */
  readonly secret: string;
  readonly pid: number;
}

/** The present holder of a place. */
export interface Latest {
  /** 0 if the place never had a holder. */
  readonly number: number;
  /** Undefined if no holder is known, if the file is damaged, or on Windows if the holder has ended. */
  readonly record?: HolderRecord;
}

const MIN_SECRET_CHARACTERS = 16;

/** One holder per second needs 30,000 years for it. */
const MAX_NUMBER = 1e12;

const RECORD = /^(\d{1,15})\.json$/;

export function recordFile(folder: string, number: number): string {
  return join(folder, `${number}.json`);
}

/**
 * Reads the record with the highest number.
 *
 * @throws StartError if other users can use the folder or the file, or for a number that no holder has
 */
export function latestRecord({ folder, uid }: HolderPlace): Latest {
  const number = latestNumber(folder, uid);
  if (number === 0) return { number };
  const file = recordFile(folder, number);
  let descriptor: number | undefined;
  try {
    // One descriptor for both questions, so that the file that is checked is the file that is read.
    descriptor = openSync(file, 'r');
    checkPrivate(file, fstatSync(descriptor), uid);
    const content = parseObject(readFileSync(descriptor, 'utf8'));
    return isRecord(content) && mayListen(content.pid, uid)
      ? { number, record: { ...content, number } }
      : { number };
  } catch (error) {
    if (error instanceof StartError) throw error;
    return { number };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** @returns 0 if the folder has no record, or does not exist */
function latestNumber(folder: string, uid: number | undefined): number {
  try {
    checkFolder(folder, uid);
    const number = Math.max(0, ...readdirSync(folder).map((name) => Number(RECORD.exec(name)?.[1] ?? 0)));
    if (number < MAX_NUMBER) return number;
    const file = recordFile(folder, number);
    throw new StartError(`${file} has a number that no process has reached. Delete it.`);
  } catch (error) {
    if (error instanceof StartError) throw error;
    return 0;
  }
}

type RecordContent = Omit<HolderRecord, 'number'>;

function isRecord(content: object | undefined): content is RecordContent {
  const { address, secret, pid }: Partial<Record<keyof RecordContent, unknown>> = content ?? {};
  return (
    typeof address === 'string' &&
    typeof secret === 'string' &&
    secret.length >= MIN_SECRET_CHARACTERS &&
    typeof pid === 'number'
  );
}

/**
 * On Windows the name of a pipe is visible and, after its holder has ended, free: another user could take it and get the
 * secret of the next process that connects. A process that this user may not end is not the holder.
 */
function mayListen(pid: number, uid: number | undefined): boolean {
  if (uid !== undefined) return true;
  try {
    return kill(pid, 0);
  } catch {
    return false;
  }
}
