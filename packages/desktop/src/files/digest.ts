import { createHash } from 'node:crypto';
import { canonicalJson } from '@deskside/core/base';

/** Identifies a JSON value, whatever the order of the keys. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
