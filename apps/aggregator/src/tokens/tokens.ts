import { join } from 'node:path';
import type { Log } from '@deskside/core';
import { TokenStore } from '@deskside/core/base';
import { folders, tokenAuthentication, type TokenOwner } from '@deskside/core/program';
import type { Authenticate } from '@deskside/core/serving';
import { LEVEL_CLAIM, LEVELS } from '@deskside/gateway';
import { PrivateJson, storedTime } from '@deskside/gateway/config';
import * as z from 'zod';

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
const content = z.strictObject({ tokens: z.array(record).readonly() });

/** A token of the desk without its secret, which only its client has. */
export type DeskToken = z.output<typeof record>;

/** What commands call the owner's main token, which is in a file of its own. */
export const MAIN_TOKEN = 'main';

/** The owner's main token, which the other Deskside servers use too. */
export function tokenFile(): string {
  return join(folders().data, 'token');
}

/** The other tokens, as digests in one file. Other users must not be able to read or change it. */
export function tokenStore(file: string = join(folders().data, 'tokens.json')): TokenStore<DeskToken> {
  const stored = new PrivateJson(file, content, { tokens: [] }, 'The token file');
  return new TokenStore(
    {
      read: async () => stored.read().tokens,
      change: (change) =>
        stored.change((value) => {
          const { tokens, answer } = change(value.tokens);
          return { value: { tokens }, answer };
        }),
    },
    'deskside token',
  );
}

/** Accepts the owner's main token and the other ones, with their profiles and approvals. */
export function deskAuthentication(owner: TokenOwner, log: Log): Authenticate {
  return tokenAuthentication(owner, { stored: tokenStore().stored, limitsOf }, log);
}

function limitsOf({ profile, approvals }: DeskToken) {
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(approvals === undefined ? {} : { claims: { [LEVEL_CLAIM]: approvals } }),
  };
}
