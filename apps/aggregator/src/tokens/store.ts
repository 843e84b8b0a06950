import { stat } from 'node:fs/promises';
import type { StoredTokens, TokenChange } from '@deskside/core/base';
import * as z from 'zod';
import { PrivateJson } from '../files/private-json.ts';
import { LEVELS } from '../profiles/profile.ts';

const record = z.object({
  name: z.string(),
  /** Absent: the user at the desk. */
  user: z.string().optional(),
  profile: z.string().optional(),
  /** Absent: that of the profile, else every call asks. */
  approvals: z.enum(LEVELS).optional(),
  sha256: z.string(),
  created: z.string(),
});
const content = z.object({ tokens: z.array(record) });

/** A token of the desk without its secret, which only its client has. */
export type DeskToken = z.output<typeof record>;

/** The tokens in one file that contains digests only. */
export class TokenFile implements StoredTokens<DeskToken> {
  readonly #stored: PrivateJson<{ readonly tokens: readonly DeskToken[] }>;

  constructor(file: string) {
    this.#stored = new PrivateJson<{ readonly tokens: readonly DeskToken[] }>(
      file,
      content,
      { tokens: [] },
      'The token file',
    );
  }

  /** @throws StartError if the file cannot be used, or if other users can read or change it */
  async read(): Promise<readonly DeskToken[]> {
    return (await this.#stored.read()).tokens;
  }

  async version(): Promise<string> {
    try {
      const { ino, mtimeMs, size, mode } = await stat(this.#stored.file);
      return [ino, mtimeMs, size, mode].join(' ');
    } catch {
      return '';
    }
  }

  change<Answer>(change: TokenChange<DeskToken, Answer>): Promise<Answer> {
    return this.#stored.change((value) => {
      const { tokens, answer } = change(value.tokens);
      return { value: { tokens }, answer };
    });
  }
}
