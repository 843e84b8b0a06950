import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { removeDrafts } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import { hasEnded, thisOwner } from './owner.ts';

const LOCK_WAIT_MS = 5000;
const LOCK_POLL_MS = 20;
const LOCK = /\.([0-9a-f-]{36})\.([0-9.a-f]+)\.lock$/;

export interface LockOptions {
  /** How long to wait for another program, in milliseconds. */
  readonly waitMs?: number;
  /** The path beside which the lock is, for a file in a folder of another program. Default: the file. */
  readonly lockAt?: string;
}

/**
 * Does work while no other Deskside program changes the file. It ends with this process, also after `kill -9`. Never hold it
 * over a request to a server or a question.
 *
 * @throws StartError if another program holds the lock for longer
 */
export async function whileLocked<T>(
  file: string,
  work: () => Promise<T>,
  { waitMs = LOCK_WAIT_MS, lockAt = file }: LockOptions = {},
): Promise<T> {
  const own = `${lockAt}.${randomUUID()}.${thisOwner()}.lock`;
  mkdirSync(dirname(lockAt), { recursive: true, mode: 0o700 });
  try {
    await acquire(file, lockAt, own, waitMs);
    await removeDrafts(file);
    return await work();
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Each process that wants the lock writes a file when it sees none, whose name no other process ever has, and holds the lock when it
 * sees no other one: of two, at least the later one sees the other. Then the last in order steps back. The file of a process that has
 * ended is free for everybody to delete, because its name does not come again.
 */
async function acquire(file: string, lockAt: string, own: string, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  let isWritten = false;
  for (;;) {
    const others = living(lockAt).filter((each) => each !== own);
    if (others.length === 0) {
      if (isWritten) return;
      // Empty: on a full disk it is there, or it is not.
      writeFileSync(own, '', { flag: 'wx', mode: 0o600 });
      isWritten = true;
      continue;
    }
    if (performance.now() > deadline)
      throw new StartError(`Another Deskside program changes ${file}. Try again.`);
    // Only the first in order keeps its file: the files of many that wait would keep all of them waiting.
    if (isWritten && others.some((each) => each < own)) {
      rmSync(own, { force: true });
      isWritten = false;
    }
    await wait(LOCK_POLL_MS);
  }
}

/** The locks beside a path whose processes live. Everything that ended processes have left in the folder goes. */
function living(lockAt: string): readonly string[] {
  const folder = dirname(lockAt);
  return readdirSync(folder).flatMap((name) => {
    const [ending, , owner = ''] = LOCK.exec(name) ?? [];
    const lock = join(folder, name);
    const since = ending === undefined ? undefined : statSync(lock, { throwIfNoEntry: false })?.mtime;
    if (since === undefined) return [];
    if (hasEnded(owner, since)) rmSync(lock, { force: true });
    else if (name === `${basename(lockAt)}${ending}`) return [lock];
    return [];
  });
}
