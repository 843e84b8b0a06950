import { gzipSync } from 'node:zlib';

/** Bytes, gzipped. */
export const SIZE_LIMITS = { script: 12_000, view: 4000 } as const;

export function gzippedBytes(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}
