import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ClientProcess, Era, Principal } from '../../definition/context.ts';
import { type ProcessProject, processProject } from '../process/process-project.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { identityName } from '../../errors/index.ts';
import { watchRoots } from '../protocol/caller.ts';
import { uniqueId } from '../../base/unique-id.ts';
import type { Log } from '../../log.ts';
import type { Limits } from '../limits.ts';
import { type Serving, type Shared, sharedBy } from '../protocol/connection.ts';
import { createServer, forwardChanges } from '../protocol/protocol-server.ts';
import { subscribedUris, watchingOf } from '../protocol/watching.ts';
import type { FirstExchanges } from '../first-answers/first-answers.ts';
import { LineTransport } from './line-transport.ts';

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** A client whose messages another process forwards. */
export interface AttachedClient {
  readonly principal: Principal;
  /** Stays the same if the client attaches again. */
  readonly session: string;
  readonly process: ClientProcess;
}

/** The connection of an attached client. */
export interface AttachedServing extends Serving {
  /** Number of the requests without an answer, except subscriptions. */
  openRequests(): number;
}

export interface AttachedOptions {
  readonly log: Log;
  /** As for `serve`: with the same secret another process continues an elicitation. */
  readonly secret?: string;
  readonly limits?: Partial<Limits>;
}

/** Serves one client of a forwarding process over a pair of streams, as stdio. */
export type ServeAttached = (
  definition: ServerDefinition,
  client: AttachedClient,
  streams: StdioStreams,
) => AttachedServing;

/** For a process that serves many clients, each over its own pair of streams. They share the limits and the secret. */
export function attachedServer({ log, secret, limits }: AttachedOptions): ServeAttached {
  const shared = sharedBy(log, secret, limits);
  return (definition, { principal, session, process }, streams) => {
    const place = processProject(process.env, () => process.workingDirectory ?? '');
    return serveStreams(definition, principal, streams, shared, { ...place, session, process });
  };
}

interface Place extends Partial<ProcessProject> {
  readonly session?: string;
  readonly process?: ClientProcess;
}

/**
 * Serves one client over a pair of streams, in the era of its first message.
 *
 * @param place where the client started the process
 * @param first what the process answered before this server was loaded
 */
export function serveStreams(
  definition: ServerDefinition,
  principal: Principal,
  { input, output }: StdioStreams,
  shared: Shared,
  place: Place = {},
  first?: FirstExchanges,
): AttachedServing {
  const transport = new LineTransport(input, output, shared.limits.lineBytes, first);
  const session = place.session ?? `stdio/${uniqueId()}`;
  const ended = new AbortController();
  const client = place.process === undefined ? {} : { process: place.process };
  const questionPrefix = first?.questionPrefix;
  const asked = questionPrefix === undefined ? {} : { questionPrefix };
  const own = { principal, session, ended: ended.signal, ...client, ...asked };
  const roots = watchRoots(shared.log);
  const project = () => place.named ?? roots.project() ?? place.current;
  const open = (era: Era) => {
    const known = era === 'legacy' ? { roots: roots.client } : {};
    const connection = { era, transport: 'stdio', ...own, project, ...known } as const;
    const server = createServer(definition, connection, shared);
    const askRoots = roots.connect(server);
    if (era === 'legacy' && place.named === undefined) server.oninitialized = askRoots;
    forwardChanges(server, definition, connection, shared.log);
    return server;
  };
  const handle = serveStdio(
    ({ era }) => {
      try {
        return open(era);
      } catch (error) {
        // The SDK only reports it.
        shared.log.error('server not created', { error });
        throw error;
      }
    },
    { transport, onerror: (error) => shared.log.debug('stdio transport error', { error }) },
  );
  const watching = watchSubscriptions(transport, definition, principal);
  void end();

  async function end(): Promise<void> {
    await transport.closed;
    watching.close();
    ended.abort();
  }

  return {
    closed: transport.closed,
    openRequests: () => transport.openRequests,
    async close() {
      transport.finish();
      await transport.closed;
      await handle.close();
    },
  };
}

/** Of the modern era: the SDK answers them, and tells no one. */
function watchSubscriptions(transport: LineTransport, definition: ServerDefinition, principal: Principal) {
  const watching = watchingOf(definition, { era: 'modern', toolName: identityName, principal });
  if (definition.watchResource === undefined) return watching;
  transport.onreceive = (message) => {
    if (!('method' in message)) return;
    if (message.method === 'subscriptions/listen' && 'id' in message) {
      watching.start(message.id, subscribedUris(message));
    } else if (message.method === 'notifications/cancelled') {
      const cancelled = message.params?.['requestId'];
      if (typeof cancelled === 'string' || typeof cancelled === 'number') watching.stop(cancelled);
    }
  };
  return watching;
}
