import { createHash } from 'node:crypto';
import type { Shot } from './file-name.ts';

const CHECK_BYTES = 3;
const SIZE = 4 + 2 + 2 + 2 + 6 + 1;

/**
 * The opaque name of a shot. It holds what its file is called by, so that it is the same tomorrow and needs no
 * table; it never becomes a path: files are found by listing folders and comparing.
 */
export function referenceOf({ local, offset, width, height, sequence, monitor }: Shot): string {
  const bytes = Buffer.alloc(SIZE);
  bytes.writeUInt32BE(local, 0);
  bytes.writeInt16BE(offset, 4);
  bytes.writeUInt16BE(width, 6);
  bytes.writeUInt16BE(height, 8);
  bytes.writeUIntBE(sequence, 10, 6);
  bytes.writeUInt8(monitor, 16);
  return Buffer.concat([bytes, check(bytes)]).toString('base64url');
}

/** Undefined for what is no reference of ours. */
export function readReference(reference: string): Shot | undefined {
  if (!/^[\w-]{27}$/.test(reference)) return undefined;
  const bytes = Buffer.from(reference, 'base64url');
  if (bytes.length !== SIZE + CHECK_BYTES || bytes.toString('base64url') !== reference) return undefined;
  if (!check(bytes.subarray(0, SIZE)).equals(bytes.subarray(SIZE))) return undefined;
  return {
    local: bytes.readUInt32BE(0),
    offset: bytes.readInt16BE(4),
    width: bytes.readUInt16BE(6),
    height: bytes.readUInt16BE(8),
    sequence: bytes.readUIntBE(10, 6),
    monitor: bytes.readUInt8(16),
  };
}

/** Against typing errors, not against forgers: those gain nothing. */
function check(bytes: Buffer): Buffer {
  return createHash('sha256').update('deskside shot').update(bytes).digest().subarray(0, CHECK_BYTES);
}
