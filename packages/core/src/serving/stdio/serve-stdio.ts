import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Principal } from '../../definition/context.ts';
import type { ProcessProject } from '../../run/process-project.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { watchRoots } from '../protocol/caller.ts';
import { type Serving, type Shared, uniqueId } from '../protocol/connection.ts';
import { createServer, forwardChanges } from '../protocol/server.ts';
import { LineTransport } from './line-transport.ts';

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Serves one client over a pair of streams, in the era of its first message.
 *
 * @param place where the client started this process
 */
export function serveStreams(
  definition: ServerDefinition,
  principal: Principal,
  { input, output }: StdioStreams,
  shared: Shared,
  place: Partial<ProcessProject> = {},
): Serving {
  const transport = new LineTransport(input, output, shared.limits.lineBytes);
  const session = `stdio/${uniqueId()}`;
  const roots = watchRoots(shared.log);
  const project = () => place.named ?? roots.project() ?? place.current;
  const handle = serveStdio(
    ({ era }) => {
      const connection = { era, transport: 'stdio', principal, session, project } as const;
      const server = createServer(definition, connection, shared);
      const askRoots = roots.connect(server);
      if (era === 'legacy' && place.named === undefined) server.oninitialized = askRoots;
      if (definition.changes !== undefined) forwardChanges(server, definition.changes, era, shared.log);
      return server;
    },
    { transport, onerror: (error) => shared.log.debug('stdio transport error', { error }) },
  );
  return {
    closed: transport.closed,
    async close() {
      transport.finish();
      await transport.closed;
      await handle.close();
    },
  };
}
