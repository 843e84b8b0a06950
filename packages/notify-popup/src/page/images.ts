import type { AnswerImage } from '@deskside/desktop';

export const MAX_IMAGES = 3;
/** Of all images of an answer: hosts take about a megabyte of Base64. */
export const MAX_IMAGES_BYTES = 640_000;

/** The first bytes of each type, as Latin-1. */
const SIGNATURES = [
  ['image/png', '\x89PNG\r\n\x1A\n'],
  ['image/jpeg', '\xFF\xD8\xFF'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
] as const;

/** @returns undefined if the content is none of these types, whatever its name is */
export function imageOf(bytes: Uint8Array): AnswerImage | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mimeType = typeOf(buffer.toString('latin1', 0, 12));
  return mimeType === undefined ? undefined : { mimeType, data: buffer.toString('base64') };
}

function typeOf(start: string): string | undefined {
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'image/webp';
  return SIGNATURES.find(([, signature]) => start.startsWith(signature))?.[0];
}
