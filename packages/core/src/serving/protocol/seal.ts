import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

/** What a sealed text is for. Each has a separate key, so that a text of one kind is never accepted as another. */
export type Purpose = 'session id' | 'request state';

/** Encrypts JSON into text that only a holder of the same secret can read or create. */
export interface Seal {
  /** @returns letters, digits, `-` and `_` */
  seal(value: unknown): string;
  /** @returns undefined for a text that this secret did not seal for this purpose */
  open(text: string): unknown;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Derives one key per purpose from the server's secret (HKDF with SHA-256).
 *
 * @param secret default: random, so that only this process can open what it sealed
 */
export function sealWith(secret: string | undefined, purpose: Purpose): Seal {
  let derived: Buffer | undefined;
  const key = () => (derived ??= deriveKey(secret, purpose));
  return {
    seal(value) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key(), nonce);
      const sealed = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url');
    },
    open(text) {
      const bytes = Buffer.from(text, 'base64url');
      // Several last characters can stand for the same bytes, but one sealed text is one text.
      if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) return undefined;
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const cipher = createDecipheriv(CIPHER, key(), bytes.subarray(0, NONCE_BYTES)).setAuthTag(tag);
      try {
        const opened = [cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()];
        return JSON.parse(Buffer.concat(opened).toString('utf8')) as unknown;
      } catch {
        return undefined;
      }
    },
  };
}

function deriveKey(secret: string | undefined, purpose: Purpose): Buffer {
  return Buffer.from(
    hkdfSync('sha256', secret ?? randomBytes(KEY_BYTES), 'deskside', `deskside ${purpose}`, KEY_BYTES),
  );
}

/** A short digest of a text, for comparison. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}
