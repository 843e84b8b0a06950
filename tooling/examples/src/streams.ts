import type { Duplex } from 'node:stream';
import { serve, type ServerDefinition, type Serving, silentLog, type StdioStreams } from '@deskside/core';

/** Serves one client over any pair of streams, inside a process that does other work too. */
export function serveSocket(definition: ServerDefinition, socket: Duplex): Promise<Serving> {
  const streams: StdioStreams = { input: socket, output: socket };
  return serve(definition, { streams, log: silentLog, ownsProcess: false });
}
