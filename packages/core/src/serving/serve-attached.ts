import type { ServerDefinition } from '../definition/server.ts';
import type { Log } from '../log.ts';
import type { Limits } from './limits.ts';
import { sharedBy } from './protocol/connection.ts';
import {
  type AttachedClient,
  type AttachedServing,
  serveAttachedStreams,
  type StdioStreams,
} from './stdio/serve-stdio.ts';

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
  return (definition, client, streams) => serveAttachedStreams(definition, client, streams, shared);
}
