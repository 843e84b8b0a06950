import type { StoredTokens } from '@deskside/core/base';
import * as z from 'zod';
import { PrivateJson, storedTime } from '@deskside/gateway/config';
import { LEVELS } from '@deskside/gateway';

/** Strict: a field that is not known may limit the token. */
const record = z.strictObject({
  name: z.string(),
  /** Absent: the user at the desk. */
  user: z.string().optional(),
  profile: z.string().optional(),
  /** Absent: that of the profile, else every call asks. */
  approvals: z.enum(LEVELS).optional(),
  sha256: z.string(),
  created: storedTime,
});
const content = z.strictObject({ tokens: z.array(record) });

/** A token of the desk without its secret, which only its client has. */
export type DeskToken = z.output<typeof record>;

/** The tokens in one file that contains digests only. Other users must not be able to read or change it. */
export function tokensIn(file: string): StoredTokens<DeskToken> {
  const stored = new PrivateJson<{ readonly tokens: readonly DeskToken[] }>(
    file,
    content,
    { tokens: [] },
    'The token file',
  );
  return {
    read: async () => stored.read().tokens,
    change: (change) =>
      stored.change((value) => {
        const { tokens, answer } = change(value.tokens);
        return { value: { tokens }, answer };
      }),
  };
}
