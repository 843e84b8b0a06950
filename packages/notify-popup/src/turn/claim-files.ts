import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One turn that was taken: the highest number is the latest, whether or not its holder still lives. */
export interface ClaimFile {
  readonly number: number;
  /** Where its holder listens, or listened. */
  readonly address: string;
}

const NAME = /^turn-(\d+)$/;

export async function latestClaim(folder: string): Promise<ClaimFile | undefined> {
  for (;;) {
    const number = Math.max(0, ...(await numbers(folder)));
    if (number === 0) return undefined;
    const address = await readIfThere(fileOf(folder, number));
    if (address !== undefined) return { number, address };
  }
}

/**
 * Numbers only grow, for the latest file is never removed: of two that claim the same turn one gets the file,
 * and one that claims a turn long past sees a higher number afterwards.
 *
 * @returns false where somebody else has that turn or a later one
 */
export async function writeClaim(folder: string, { number, address }: ClaimFile): Promise<boolean> {
  const draft = join(folder, `draft-${randomUUID()}`);
  await writeFile(draft, address, { mode: 0o600 });
  try {
    await link(draft, fileOf(folder, number));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const all = await numbers(folder);
  const isLatest = Math.max(...all) === number;
  const over = isLatest ? all.filter((other) => other < number) : [number];
  await Promise.all(over.map((other) => rm(fileOf(folder, other), { force: true })));
  return isLatest;
}

function fileOf(folder: string, number: number): string {
  return join(folder, `turn-${number}`);
}

async function numbers(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
