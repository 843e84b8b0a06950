/** Pixels of a rectangle within an image. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export type ImageFormat = 'jpeg' | 'png';

/** How to transform an image. Sizes are in pixels. */
export interface ImageJob {
  readonly bytes: Uint8Array;
  readonly crop?: Rectangle;
  /** Scales down until no side is longer than this. Never scales up. */
  readonly longestSide?: number;
  readonly format: ImageFormat;
}

export const JPEG_QUALITY = 85;

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The size from a JPEG's header, without decoding; undefined if there is no such header. */
export function jpegSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    // Fill bytes and markers without a length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Some programs write bytes after the end of the image. */
const MAX_TRAILING_BYTES = 64;

/** Whether a JPEG has a header and its end marker: a file that is being written has no end yet. */
export function isCompleteJpeg(bytes: Uint8Array): boolean {
  if (jpegSize(bytes) === undefined) return false;
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(-MAX_TRAILING_BYTES);
  return tail.includes(Buffer.from([0xff, 0xd9]));
}

/** SOF0 to SOF15 without DHT, JPG and DAC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
