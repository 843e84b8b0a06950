import { platform } from 'node:os';
import { openInBrowser } from '@deskside/desktop';
import type { CommandContext } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import type { ExternalServer, SecretSources } from '@deskside/gateway/config';
import { configured, logIn, withLogin, loginStore } from '@deskside/gateway/servers';
import type { Questions } from './confirm.ts';

export interface BrowserLogin {
  readonly id: string;
  readonly server: ExternalServer;
  readonly sources: SecretSources;
  readonly clientId?: string | undefined;
  /** Another user of the desk. */
  readonly user?: string | undefined;
  /** The person opens the address. */
  readonly isPrinted: boolean;
}

/** Logs in at a server with the browser of the person, who may also paste where a browser elsewhere has ended. */
export async function loginInBrowser(
  { id, server, sources, clientId, user, isPrinted }: BrowserLogin,
  { print, env }: Pick<CommandContext, 'print' | 'env'>,
  ask: Pick<Questions, 'line'>,
): Promise<void> {
  const address = await withLogin(id, configured(server, sources), { env }).server();
  if (!('url' in address)) throw new StartError(`${id} is a command. Only a server with a URL has a login.`);
  if (address.login === undefined) {
    throw new StartError(`${id} has an Authorization header. Remove it from deskside.toml first.`);
  }
  const hasBrowser = !isPrinted && hasDesktop(env);
  await logIn({
    id,
    server: address.url,
    headers: address.headers,
    store: loginStore(user),
    client: clientId === undefined ? address.client : { id: clientId },
    show({ href }) {
      print(
        `${hasBrowser ? 'The browser opens. If it does not, open' : 'Open'} this address, and log in:\n${href}`,
      );
      print('If the browser is on another machine, paste the address at which it ends here.');
      if (hasBrowser) void openInBrowser({ platform: platform(), env }, href);
    },
    pasted: ask.line(),
  });
  print(`${user === undefined ? 'You are' : `${user} is`} logged in to ${id}.`);
}

function hasDesktop(env: SecretSources['env']): boolean {
  if (env['SSH_CONNECTION'] !== undefined) return false;
  return platform() !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}
