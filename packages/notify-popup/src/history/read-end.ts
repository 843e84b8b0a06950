import { open } from 'node:fs/promises';

/** Bytes: far more than the few exchanges a popup shows. */
const MOST = 1024 * 1024;

/** @returns the end of a file, '' where there is none; the first line may be cut */
export async function readEnd(path: string, most = MOST): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(size, most));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
