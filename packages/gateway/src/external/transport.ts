import { delimiter, isAbsolute } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { startWatchdog } from '@deskside/desktop';
import { DEFAULT_INHERITED_ENV_VARS } from '@modelcontextprotocol/client/stdio';
import { ChildTransport } from './child-transport.ts';
import { HttpTransport } from './http-transport.ts';
import { OrphanGuard } from './orphan-guard.ts';
import { useNetworkOf } from './network.ts';
import type { ServerAddress, ServerCommand } from './spec.ts';
import type { ServerTransport } from './server-transport.ts';
import { SseTransport } from './sse-transport.ts';

export interface TransportOptions {
  /** Of one message of the server. */
  readonly maxMessageBytes: number;
  readonly onStderr: (line: string) => void;
  /** An address speaks HTTP+SSE, which Streamable HTTP has replaced. */
  readonly isSse?: boolean;
}

/** Makes the transport of one start. Starts nothing. */
export type OpenTransport = (
  server: ServerCommand | ServerAddress,
  options: TransportOptions,
) => ServerTransport;

/**
 * Programs on this machine, and addresses over HTTP.
 *
 * @param env the environment of the desk, of which a program gets the default variables and those that it names
 */
export function systemTransports(env: Readonly<Record<string, string | undefined>>): OpenTransport {
  const guard = new OrphanGuard();
  limitGarbage();
  return (server, options) => {
    startWatchdog();
    if ('url' in server) {
      useNetworkOf(env);
      const { isSse = false, ...rest } = options;
      return isSse ? new SseTransport({ ...server, ...rest }) : new HttpTransport({ ...server, ...rest });
    }
    const { command, args = [], cwd, env_vars: names = [], path } = server;
    const inherited = [...DEFAULT_INHERITED_ENV_VARS, ...names].flatMap((name) =>
      env[name] === undefined ? [] : [[name, env[name]] as const],
    );
    const searched = joinedPaths(path, env['PATH']);
    const ownEnv = { ...Object.fromEntries(inherited), ...(searched && { PATH: searched }), ...server.env };
    return new ChildTransport({ ...options, command, args, cwd, env: ownEnv, guard });
  };
}

/** All folders of lists such as PATH, each once. A relative one would begin in the folder of the server. */
export function joinedPaths(...lists: readonly (string | undefined)[]): string {
  const folders = lists.flatMap((list) => (list ?? '').split(delimiter));
  return [...new Set(folders.filter((folder) => isAbsolute(folder)))].join(delimiter);
}

let isLimited = false;

/**
 * V8 would let the garbage of a server or an agent that sends without end grow to several hundred megabytes, 130 of them for
 * what is new.
 */
function limitGarbage(): void {
  if (isLimited) return;
  isLimited = true;
  setFlagsFromString('--heap-growing-percent=10 --semi-space-growth-factor=1');
}
