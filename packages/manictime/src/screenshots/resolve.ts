import type { ManicTime } from '../manictime.ts';
import { Problem } from '../problem.ts';
import { hasRules } from '../privacy/rules.ts';
import { HOUR } from '../time/wall-clock.ts';
import type { StoredShot } from './folder.ts';
import { readImageFile } from './image-file.ts';
import { readReference } from './reference.ts';
import { withoutHidden } from './shown-shots.ts';
import { screenTimes } from './transitions.ts';

/** The shot that a reference means; undefined for what means none, is gone, or is private. */
async function findShot(
  { screenshots, database, privacy }: ManicTime,
  reference: string,
  signal?: AbortSignal,
): Promise<StoredShot | undefined> {
  const named = readReference(reference);
  const shot = named === undefined ? undefined : await screenshots.find(named);
  if (shot === undefined || !hasRules(privacy)) return shot;
  const around = { from: shot.local - HOUR, to: shot.local + HOUR };
  const { hidden, axis } = await database.read((snapshot) => screenTimes(snapshot, around, privacy), signal);
  return withoutHidden([shot], hidden, axis)[0];
}

/** @throws Problem NOT_FOUND */
export async function requireShot(
  manictime: ManicTime,
  reference: string,
  listTool: string,
  signal?: AbortSignal,
): Promise<StoredShot> {
  const shot = await findShot(manictime, reference, signal);
  if (shot !== undefined) return shot;
  throw new Problem({
    code: 'NOT_FOUND',
    error: 'Unknown screenshotRef.',
    hint: `Use ${listTool} to get valid screenshotRef values; screenshots are deleted after some days.`,
  });
}

/** The bytes of the full image, or of its thumbnail where that is all there is. */
export async function readFullImage(manictime: ManicTime, shot: StoredShot): Promise<Uint8Array> {
  return readShotFile(manictime, shot.fullFile ?? shot.thumbnailFile);
}

export async function readThumbnail(manictime: ManicTime, shot: StoredShot): Promise<Uint8Array | undefined> {
  return shot.thumbnailFile === undefined ? undefined : readShotFile(manictime, shot.thumbnailFile);
}

async function readShotFile({ screenshots }: ManicTime, file: string | undefined): Promise<Uint8Array> {
  const root = await screenshots.root();
  if (file === undefined || root === undefined) throw new Error('a shot without a file');
  return readImageFile(file, root);
}
