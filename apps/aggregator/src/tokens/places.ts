import { join } from 'node:path';
import { folders } from '@deskside/core/cli';
import { TokenStore } from './store.ts';

/** The owner's main token, which the other Deskside servers use too. */
export function tokenFile(): string {
  return join(folders().data, 'token');
}

/** The other tokens. */
export function tokenStore(): TokenStore {
  return new TokenStore(join(folders().data, 'tokens.json'));
}
