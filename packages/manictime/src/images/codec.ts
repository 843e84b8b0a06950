/** Pixels of a rectangle within an image. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export type ImageFormat = 'jpeg' | 'png';

/** What is to become of an image. All sizes in pixels. */
export interface ImageJob {
  readonly bytes: Uint8Array;
  readonly crop?: Rectangle;
  /** Scales down so that neither side is longer. */
  readonly longestSide?: number;
  readonly format: ImageFormat;
}

/** The one thing that decodes and encodes images; both kinds stand the same tests. */
export interface ImageCodec {
  readonly name: 'sharp' | 'jimp';
  /** @throws whatever the library throws for bytes that are no image */
  run(job: ImageJob): Promise<Uint8Array>;
}

export const JPEG_QUALITY = 85;

/** Sides of an image that fits, in whole pixels. */
export function fitted(
  width: number,
  height: number,
  longestSide: number,
): { width: number; height: number } {
  const scale = Math.min(1, longestSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
