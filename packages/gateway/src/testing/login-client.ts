import { connect, temporaryFolder } from '@deskside/core/testing';
import type { ServerListing } from '../external/listing.ts';
import { neededLogin } from '../external/reasons.ts';
import type { ExternalSpec } from '../external/spec.ts';
import { startOnTrial } from '../external/trial.ts';
import { systemTransports } from '../external/transport.ts';
import { logIn } from '../login/log-in.ts';
import { withLogin } from '../login/server-login.ts';
import { LoginStore } from '../login/login-store.ts';
import { deskWith, running, trustingSource } from './external.ts';
import { jsonOf } from './fake.ts';

/** As often as a patient person presses "Log in" for one call. */
const MAX_LOGINS = 3;

export interface LoginClientOptions {
  readonly url: string;
  /** What the protocol's conformance suite tells its client, as JSON. */
  readonly context?: string | undefined;
  /** The address of a client id document. */
  readonly clientId?: string | undefined;
}

/**
 * A person with an agent and a browser, at a server that may need a login. Adds the server to a desk, logs in whenever it asks
 * for it, and calls its tools. The protocol's conformance suite watches from the server.
 */
export async function playLoginClient({ url, context = '{}', clientId }: LoginClientOptions): Promise<void> {
  const { client_id: id, client_secret: secret } = Object(JSON.parse(context));
  const registered = id === undefined ? undefined : { id: String(id), secret: String(secret) };
  using folder = temporaryFolder();
  const store = new LoginStore(folder.path);
  const spec = withLogin('guard', running({ url }), { env: {}, store });
  const login = () =>
    logIn({
      id: 'guard',
      server: url,
      client: clientId === undefined ? registered : { id: clientId },
      store,
      show: ({ href }) => void fetch(href),
      pasted: new Promise(() => undefined),
    });
  const listing = await listed(spec, login);
  await using desk = await deskWith({ guard: spec }, { sources: { guard: trustingSource(listing) } });
  await using peer = await connect(desk.aggregator.definition);
  for (const { name } of listing.tools) {
    for (let logins = 0; ; logins += 1) {
      const answer = await peer.callTool(`guard_${name}`, {});
      if (codeOf(answer) !== 'LOGIN_NEEDED' || logins === MAX_LOGINS) break;
      await login();
    }
  }
}

async function listed(spec: ExternalSpec, login: () => Promise<unknown>, logins = 0): Promise<ServerListing> {
  try {
    return (await startOnTrial('guard', spec, systemTransports({}))).listing;
  } catch (error) {
    if (neededLogin(error) === undefined || logins === MAX_LOGINS) throw error;
    await login();
    return listed(spec, login, logins + 1);
  }
}

function codeOf(answer: Parameters<typeof jsonOf>[0]): unknown {
  try {
    return Object(jsonOf(answer))['code'];
  } catch {
    return undefined;
  }
}
