import { UserError } from '@deskside/core/errors';
import type { ScreenshotFolder } from './folder.ts';
import {
  type ImageFormat,
  type ImageSize,
  isCompleteJpeg,
  jpegSize,
  type Rectangle,
} from './images/codec.ts';
import { transformImage, unreadable } from './images/images.ts';
import type { TakenShot } from './shot.ts';

/**
 * The bytes of the full image, or of the thumbnail if no full image exists.
 *
 * @throws UserError IMAGE_UNREADABLE if the file is not a complete JPEG: models refuse it, and so do viewers
 */
export async function readFullImage(
  folder: ScreenshotFolder,
  { fullFile, thumbnailFile = '' }: TakenShot,
): Promise<Uint8Array> {
  const bytes = await folder.read(fullFile ?? thumbnailFile);
  if (!isCompleteJpeg(bytes)) throw unreadable();
  return bytes;
}

/** Undefined if there is no complete thumbnail. */
export async function readThumbnail(
  folder: ScreenshotFolder,
  { thumbnailFile }: TakenShot,
): Promise<Uint8Array | undefined> {
  if (thumbnailFile === undefined) return undefined;
  const bytes = await folder.read(thumbnailFile);
  return isCompleteJpeg(bytes) ? bytes : undefined;
}

/** Limit for one image in an answer: in base64, with a thumbnail, the answer stays under 1 MB. */
export const MAX_INLINE_BYTES = 680_000;
/** Models scale down images with longer sides. */
const MODEL_SIDE_PIXELS = 1568;

/** The images of one screenshot in an answer: small for the model, full size for the person. */
export interface Delivery {
  /** For person and model: the thumbnail; without one the full image, scaled down if it is too large. */
  readonly model: Uint8Array;
  /** For the person only; undefined if `model` is the full image. */
  readonly person: Uint8Array | 'link' | undefined;
  readonly isThumbnail: boolean;
}

export async function deliver(
  screenshots: ScreenshotFolder,
  shot: TakenShot,
  signal: AbortSignal,
): Promise<Delivery> {
  const thumbnail = await readThumbnail(screenshots, shot);
  const onlyThumbnail = thumbnail !== undefined && shot.fullFile === undefined;
  const full = onlyThumbnail
    ? undefined
    : await readFullImage(screenshots, shot).catch((error: unknown) => {
        if (thumbnail === undefined || !UserError.is(error)) throw error;
        return undefined;
      });
  const fits = (full?.length ?? 0) + (thumbnail?.length ?? 0) <= MAX_INLINE_BYTES;
  if (thumbnail !== undefined)
    return { model: thumbnail, person: full === undefined || fits ? full : 'link', isThumbnail: true };
  if (full === undefined) throw unreadable();
  if (fits) return { model: full, person: undefined, isThumbnail: false };
  const model = await scaledToFit(full, signal);
  return { model: model.bytes, person: 'link', isThumbnail: false };
}

/** Scales an image to the size that models use, or smaller until it fits into an answer. */
export async function scaledToFit(
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly longestSide: number }> {
  for (let longestSide = MODEL_SIDE_PIXELS; ; longestSide = Math.ceil(longestSide / 2)) {
    const scaled = await transformImage({ bytes, longestSide, format: 'jpeg' }, signal);
    if (scaled.length <= MAX_INLINE_BYTES) return { bytes: scaled, longestSide };
  }
}

export const COORDINATE_UNITS = ['percent', 'normalized'] as const;
export type CoordinateUnits = (typeof COORDINATE_UNITS)[number];

/** A region relative to the image size: 0 to 100 (`percent`) or 0 to 1 (`normalized`). */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly units: CoordinateUnits;
}

/** Crops an image. The size comes from the image itself: file names can be wrong. */
export function cropImage(
  bytes: Uint8Array,
  region: Region,
  format: ImageFormat,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const crop = pixelsOf(region, jpegSize(bytes) ?? { width: 1, height: 1 });
  return transformImage({ bytes, crop, format }, signal);
}

/**
 * The pixels of a region. Each number is clamped to the image, then edges are rounded.
 *
 * @throws UserError EMPTY_CROP
 */
export function pixelsOf({ x, y, width, height, units }: Region, image: ImageSize): Rectangle {
  const part = (value: number) => Math.min(Math.max(units === 'percent' ? value / 100 : value, 0), 1);
  const left = Math.round(part(x) * image.width);
  const top = Math.round(part(y) * image.height);
  const right = Math.min(Math.round((part(x) + part(width)) * image.width), image.width);
  const bottom = Math.min(Math.round((part(y) + part(height)) * image.height), image.height);
  if (right <= left || bottom <= top) {
    throw new UserError({
      code: 'EMPTY_CROP',
      error: 'The region is empty: it contains no pixel of the image.',
      hint: 'Pass width and height above 0, and x and y below the right and bottom edge (in percent: 0 to 100).',
    });
  }
  return { left, top, width: right - left, height: bottom - top };
}
