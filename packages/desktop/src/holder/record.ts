import { readFileSync } from 'node:fs';
import { join } from 'node:path';
// oxlint-disable-next-line eslint/no-restricted-imports -- the only way to ask for a process
import { kill } from 'node:process';
import { parseObject } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import { checkFolder } from '../files/owner.ts';

/** The folder in which the holders of one thing follow each other. */
export interface HolderPlace {
  /** Private to the user, and the same for all processes that look for the holder. */
  readonly folder: string;
  /** Of this process. Undefined on Windows, where the mode of a file says nothing. */
  readonly uid: number | undefined;
}

/** Where a holder listens, and what it is. */
export interface HolderRecord {
  /** One above that of the holder before it. */
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
  /** Undefined if no holder is known, or on Windows if the holder has ended. */
  readonly record?: HolderRecord;
}

export function recordFile({ folder }: HolderPlace): string {
  return join(folder, 'holder.json');
}

/**
 * Reads the record of the present holder. A damaged one is as none.
 *
 * @throws StartError if other users can use the folder
 */
export function latestRecord(place: HolderPlace): Latest {
  const { folder, uid } = place;
  try {
    checkFolder(folder, uid);
    const record = parseObject(readFileSync(recordFile(place), 'utf8'));
    if (!isRecord(record)) return { number: 0 };
    const { number } = record;
    return mayListen(record.pid, uid) ? { number, record } : { number };
  } catch (error) {
    if (error instanceof StartError) throw error;
    return { number: 0 };
  }
}

function isRecord(content: object | undefined): content is HolderRecord {
  const { number, address, secret, pid }: Partial<Record<keyof HolderRecord, unknown>> = content ?? {};
  return (
    typeof number === 'number' &&
    typeof address === 'string' &&
    typeof secret === 'string' &&
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
