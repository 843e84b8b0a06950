import type { ImageSize } from '../images/jpeg-size.ts';
import type { Rectangle } from '../images/codec.ts';
import { Problem } from '../problem.ts';

export const COORDINATE_UNITS = ['percent', 'normalized'] as const;
export type CoordinateUnits = (typeof COORDINATE_UNITS)[number];

/** A region as parts of an image: of a hundred, or of one. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly units: CoordinateUnits;
}

/**
 * The pixels of a region. Each of the four numbers is brought into the image by itself, then edges are rounded.
 *
 * @throws Problem EMPTY_CROP
 */
export function pixelsOf({ x, y, width, height, units }: Region, image: ImageSize): Rectangle {
  const part = (value: number) => Math.min(Math.max(units === 'percent' ? value / 100 : value, 0), 1);
  const left = Math.round(part(x) * image.width);
  const top = Math.round(part(y) * image.height);
  const right = Math.min(Math.round((part(x) + part(width)) * image.width), image.width);
  const bottom = Math.min(Math.round((part(y) + part(height)) * image.height), image.height);
  if (right <= left || bottom <= top) {
    throw new Problem({
      code: 'EMPTY_CROP',
      error: 'The region is empty: it has no pixel within the image.',
      hint: 'Pass width and height above 0 and x and y below the right and lower edge; in percent, 0 to 100.',
    });
  }
  return { left, top, width: right - left, height: bottom - top };
}
