import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { logIn, type LoginRequest } from '../login/log-in.ts';
import { LoginStore, type StoredLogin } from '../login/login-store.ts';
import { browse } from './login-server.ts';

export function newStore(): LoginStore {
  return new LoginStore(join(temporaryFolder(), 'logins'));
}

interface Person extends Partial<Omit<LoginRequest, 'show'>> {
  /** What the person does with the address of the login. Default: allows everything. */
  readonly go?: (address: string) => unknown;
}

/** A person who logs in at a server, which is `guard` unless the person says otherwise. */
export function logInAt(
  server: string,
  store: LoginStore,
  { go = browse, ...more }: Person = {},
): Promise<StoredLogin> {
  const pasted = new Promise<string>(() => undefined);
  return logIn({ id: 'guard', server, store, pasted, show: ({ href }) => void go(href), ...more });
}
