import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Principal } from '../definition/context.ts';
import type { ServerDefinition } from '../definition/server.ts';
import { announceChanges } from './announce-changes.ts';
import { buildServer } from './build-server.ts';
import type { Shared } from './connection.ts';
import { LineTransport } from './line-transport.ts';
import type { Serving } from './serving.ts';
import { uniqueId } from './unique-id.ts';

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Serves one client over a pair of streams, in whichever era it opens. */
export function serveStreams(
  definition: ServerDefinition,
  principal: Principal,
  { input, output }: StdioStreams,
  shared: Shared,
): Serving {
  const transport = new LineTransport(input, output);
  const session = `stdio/${uniqueId()}`;
  const handle = serveStdio(
    ({ era }) => {
      const server = buildServer(definition, { era, principal, session }, shared);
      if (definition.changes !== undefined) announceChanges(server, definition.changes, era, shared.log);
      return server;
    },
    { transport, onerror: (error) => shared.log.debug('stdio', { error }) },
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
