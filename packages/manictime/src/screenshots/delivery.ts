import type { Images } from '../images/images.ts';
import type { ManicTime } from '../manictime.ts';
import type { StoredShot } from './folder.ts';
import { readFullImage, readThumbnail } from './resolve.ts';

/** Bytes of one image inside an answer: as base64, with a thumbnail beside it, they stay under 1 MB. */
export const INLINE_BYTES = 680_000;
/** Pixels of a side beyond which models scale an image down themselves. */
const MODEL_SIDE = 1568;

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
  const model = await scaledToFit(manictime.images, full, signal);
  return { model: model.bytes, person: 'link', isThumbnail: false };
}

/** An image as large as a model sees it, or smaller where it would be too large to travel inside an answer. */
export async function scaledToFit(
  images: Images,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly longestSide: number }> {
  for (let longestSide = MODEL_SIDE; ; longestSide = Math.ceil(longestSide / 2)) {
    const scaled = await images.transform({ bytes, longestSide, format: 'jpeg' }, signal);
    if (scaled.length <= INLINE_BYTES) return { bytes: scaled, longestSide };
  }
}
