import { DEFAULT_USER } from '../base/values.ts';
import type { ServerDefinition } from '../definition/server.ts';
import { StartError } from '../errors/index.ts';
import { createLog, type Log, type LogFields } from '../log.ts';
import { processProject } from './process/process-project.ts';
import { endWithLine, ownProcess } from './process/signals.ts';
import { claimStandardStreams, writeStandardError } from './process/standard-streams.ts';
import type { HttpServeOptions } from './http/serve-http.ts';
import type { Limits } from './limits.ts';
import { type Serving, type Shared, sharedBy, tokenOf } from './protocol/connection.ts';
import type { FirstExchanges } from './first-answers/first-answers.ts';
import { serveStreams, type StdioStreams } from './stdio/serve-stdio.ts';

export interface ServeOptions {
  /** The user on stdio, and the owner of the token over HTTP. Default `owner`. */
  readonly user?: string;
  /** The name of the client on stdio, which the owner of this machine chose: `token` of its principal. */
  readonly clientName?: string;
  /** Serves HTTP instead of stdio. */
  readonly http?: HttpServeOptions;
  /** Default: stdin and stdout of this process. */
  readonly streams?: StdioStreams;
  /** What `firstAnswers` already answered on these streams. */
  readonly first?: FirstExchanges | undefined;
  readonly log?: Log;
  /**
   * Encrypts session ids and the state of elicitations. With the same secret they survive a restart, and another
   * process accepts them. Default: derived from `http.auth.token`, else random.
   */
  readonly secret?: string;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<Limits>;
  /**
   * If true, SIGTERM and SIGINT close the server, the process exits when it has closed, a promise that is rejected without
   * a handler is logged instead of ending the process, and a StartError that no code handles ends it with one line on
   * stderr. Default true.
   */
  readonly ownsProcess?: boolean;
  /** Fields for the log line of such a rejection. It is called in the asynchronous context of the promise. */
  readonly rejectionFields?: () => LogFields;
  /** Called once to close what the server used: when it has closed, or if it cannot start. It may take 3.5 s. */
  readonly onClose?: () => Promise<void>;
}

/**
 * Serves one definition over stdio or over HTTP at `/mcp`, in both protocol eras. Over HTTP it can serve several
 * definitions by path, and the map may change while it serves.
 *
 * @throws StartError if it cannot listen, and RangeError for an invalid limit or an empty secret or token
 */
export async function serve(
  served: ServerDefinition | ReadonlyMap<string, ServerDefinition>,
  options: ServeOptions = {},
): Promise<Serving> {
  const given = options.log ?? createLog({ level: 'info', write: writeStandardError });
  const owner = { user: options.user ?? DEFAULT_USER };
  const client = options.clientName === undefined ? owner : { ...owner, token: options.clientName };
  const routes = served instanceof Map ? served : new Map([['/mcp', served]]);
  try {
    const shared = sharedBy(given, options.secret ?? tokenOf(options.http?.auth), options.limits);
    const serving = await open(shared);
    const closed = serving.closed.then(() => options.onClose?.());
    if (options.ownsProcess !== false) ownProcess(serving, closed, shared.log, options);
    return { ...serving, closed };
  } catch (error) {
    await options.onClose?.();
    if (options.ownsProcess !== false && error instanceof StartError) endWithLine(error);
    throw error;
  }

  async function open(shared: Shared): Promise<Serving> {
    if (options.http !== undefined) {
      // HTTP takes a third of a cold start, and stdio never needs it.
      return (await import('./http/serve-http.ts')).serveHttp(routes, owner, options.http, shared);
    }
    const [definition] = routes.values();
    if (definition === undefined) throw new Error('Pass at least one definition to serve().');
    const place = options.streams === undefined ? processProject() : {};
    const streams = options.streams ?? claimStandardStreams();
    return serveStreams(definition, client, streams, shared, place, options.first);
  }
}
