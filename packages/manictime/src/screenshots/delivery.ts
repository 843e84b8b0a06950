import type { ManicTime } from '../manictime.ts';
import type { StoredShot } from './folder.ts';
import { readFullImage, readThumbnail } from './resolve.ts';

/** Bytes of one image inside an answer: as base64, with a thumbnail beside it, they stay under 1 MB. */
export const INLINE_BYTES = 680_000;
/** Pixels of a side beyond which models scale an image down themselves. */
export const MODEL_SIDE = 1568;

/** What a screenshot is shown with: small for the model, whole for the person. */
export interface Delivery {
  /** For person and model: the thumbnail, else the image itself, scaled down where it is too large. */
  readonly model: Uint8Array;
  /** For the person alone; undefined where the model's image is the whole one already. */
  readonly person: Uint8Array | 'link' | undefined;
  readonly isThumbnail: boolean;
}

export async function deliver(
  manictime: ManicTime,
  shot: StoredShot,
  signal: AbortSignal,
): Promise<Delivery> {
  const thumbnail = await readThumbnail(manictime, shot);
  if (thumbnail !== undefined && shot.fullFile === undefined) {
    return { model: thumbnail, person: undefined, isThumbnail: true };
  }
  const full = await readFullImage(manictime, shot);
  const fits = full.length + (thumbnail?.length ?? 0) <= INLINE_BYTES;
  if (thumbnail !== undefined) return { model: thumbnail, person: fits ? full : 'link', isThumbnail: true };
  if (fits) return { model: full, person: undefined, isThumbnail: false };
  const model = await manictime.images.transform(
    { bytes: full, longestSide: MODEL_SIDE, format: 'jpeg' },
    signal,
  );
  return { model, person: 'link', isThumbnail: false };
}
