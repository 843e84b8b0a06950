import { join } from 'node:path';
import type { Log } from '@deskside/core';
import type { Authenticate } from '@deskside/core/serving';
import { TokenStore } from '@deskside/core/base';
import { folders, tokenAuthentication, type TokenOwner } from '@deskside/core/program';
import { LEVEL_CLAIM } from '@deskside/gateway';
import { type DeskToken, tokensIn } from './store.ts';

/** The owner's main token, which the other Deskside servers use too. */
export function tokenFile(): string {
  return join(folders().data, 'token');
}

/** The other tokens. */
export function tokenStore(file: string = join(folders().data, 'tokens.json')): TokenStore<DeskToken> {
  return new TokenStore(tokensIn(file), 'deskside token');
}

/** Accepts the owner's main token and the other ones, with their profiles and approvals. */
export function deskAuthentication(owner: TokenOwner, log: Log): Authenticate {
  return tokenAuthentication(owner, { stored: tokenStore().stored, limitsOf }, log);
}

export function limitsOf({ profile, approvals }: DeskToken) {
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(approvals === undefined ? {} : { claims: { [LEVEL_CLAIM]: approvals } }),
  };
}
