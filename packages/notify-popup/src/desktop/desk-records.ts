import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '@deskside/core/errors';

/** One process that had the desk. The record with the highest number is the latest, even if its holder is dead. */
export interface DeskRecord {
  readonly number: number;
  /** Where the holder listens or listened. */
  readonly address: string;
}

const RECORD_NAME = /^desk-(\d+)$/;

export async function latestRecord(folder: string): Promise<DeskRecord | undefined> {
  for (;;) {
    const number = Math.max(0, ...(await recordNumbers(folder)));
    if (number === 0) return undefined;
    const address = await readIfPresent(recordFile(folder, number));
    if (address !== undefined) return { number, address };
  }
}

/**
 * Numbers only grow, because the latest record is never removed. If two processes write the same number, `link`
 * succeeds for one; a process with an old number sees a higher one afterwards.
 *
 * @returns false if another process has this number or a higher one
 */
export async function writeRecord(folder: string, { number, address }: DeskRecord): Promise<boolean> {
  const draft = join(folder, `draft-${randomUUID()}`);
  await writeFile(draft, address, { mode: 0o600 });
  try {
    await link(draft, recordFile(folder, number));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const all = await recordNumbers(folder);
  const isLatest = Math.max(...all) === number;
  const obsolete = isLatest ? all.filter((other) => other < number) : [number];
  await Promise.all(obsolete.map((other) => rm(recordFile(folder, other), { force: true })));
  return isLatest;
}

function recordFile(folder: string, number: number): string {
  return join(folder, `desk-${number}`);
}

async function recordNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => RECORD_NAME.exec(name)?.[1] ?? []).map(Number);
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
