import type { Log } from '@deskside/core';
import { escapeInvisible } from '@deskside/core/text';
import { type ClientCapabilities, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { StartTimer } from '../mounts/timer.ts';
import { Connection, type ConnectionEvents } from './connection.ts';
import type { ListingSource, ServerListing } from './listing.ts';
import { StartFailure } from './problems.ts';
import { isEraUnknown, type Named, reasonOf, refusesStreamableHttp } from './reasons.ts';
import type { ExternalLimits, ExternalSpec, ServerLogin } from './spec.ts';
import type { OpenTransport } from './transport.ts';

const FIRST_MODERN_VERSION = '2026-07-28';
const MAX_STDERR_LINES_PER_START = 1000;

export interface StartOptions extends Named {
  readonly server: ExternalSpec['server'];
  readonly limits: ExternalLimits;
  readonly openTransport: OpenTransport;
  readonly log: Log;
  readonly source: ListingSource;
  /** What the server may ask its client. */
  readonly capabilities: ClientCapabilities;
  readonly startTimer: StartTimer;
  readonly events: Partial<ConnectionEvents>;
  /** What may be used now, after each start and each change. */
  readonly onListing: (listing: ServerListing) => void;
}

/**
 * Connects to a server in the era and over the transport that it understands, and reads its lists.
 *
 * @param isEraKnown the era of the accepted listing is tried first
 * @param closing ends the start
 * @throws Error of any kind; then nothing of the server is left
 */
export async function startServer(
  options: StartOptions,
  isEraKnown: boolean,
  closing: AbortSignal,
): Promise<Connection> {
  const connection = await connect(options, isEraKnown, closing);
  const close = () => connection.close().catch((error: unknown) => options.events.onProblem?.(error));
  const giveUp = () => void close();
  closing.addEventListener('abort', giveUp, { once: true });
  try {
    closing.throwIfAborted();
    const { listing, problems } = await connection.listing();
    const usable = await options.source.observed(listing, problems);
    closing.throwIfAborted();
    if (!connection.isOpen) throw new SdkError(SdkErrorCode.ConnectionClosed, 'The server ended.');
    options.onListing(usable);
    return connection;
  } catch (error) {
    const { exit } = connection;
    await close();
    throw withExit(error, options, exit);
  } finally {
    closing.removeEventListener('abort', giveUp);
  }
}

/** One time limit for all attempts. */
async function connect(
  options: StartOptions,
  isEraKnown: boolean,
  closing: AbortSignal,
): Promise<Connection> {
  const { limits, source, startTimer, capabilities, events } = options;
  const limit = new AbortController();
  const stopTimer = startTimer(limits.startMs, () => limit.abort());
  const signal = AbortSignal.any([closing, limit.signal]);
  const known = source.current()?.protocolVersion;
  const isLegacy = isEraKnown && known !== undefined && known < FIRST_MODERN_VERSION;
  let login: ServerLogin | undefined;
  try {
    const server = await options.server();
    login = 'url' in server ? server.login : undefined;
    // Half of the time is left for the other era.
    const shared = { probeMs: limits.startMs / 2, capabilities, signal, startTimer, events };
    const attempt = async (isLegacyOnly: boolean, isSse = false) => {
      const more = { maxMessageBytes: limits.resultBytes, isSse, onStderr: stderrLog(options) };
      const transport = options.openTransport(server, more);
      return Connection.open({ ...shared, transport, isLegacy: isLegacyOnly }).catch((error: unknown) => {
        throw withExit(error, options, transport.exit);
      });
    };
    return await attempt(isLegacy).catch((error: unknown) => {
      if (signal.aborted) throw error;
      // An old server refuses the first request of Streamable HTTP.
      if (refusesStreamableHttp(error)) return attempt(true, true).catch(() => Promise.reject(error));
      // Some programs of the legacy era end when they get a request that they do not know.
      if ('url' in server || isLegacy || !isEraUnknown(error)) throw error;
      return attempt(true);
    });
  } catch (error) {
    // Its error is only the end of the attempt.
    throw limit.signal.aborted ? tooSlow(limits.startMs, login?.isRenewing === true, error) : error;
  } finally {
    stopTimer();
  }
}

/** The way a program ended says more than the error of a connection to it. */
function withExit(error: unknown, named: Named, exit: string | undefined): unknown {
  return exit === undefined ? error : new StartFailure(reasonOf(error, named, exit), { cause: error });
}

function tooSlow(startMs: number, isRenewing: boolean, cause: unknown): StartFailure {
  const seconds = `within ${startMs / 1000} s.`;
  if (isRenewing) return new StartFailure(`Its login was not renewed ${seconds}`, { cause });
  const hint = 'If it needs more, raise its start_seconds in deskside.toml, or add it with --start-seconds.';
  return new StartFailure(`It did not start ${seconds} ${hint}`, { cause });
}

function stderrLog({ id, log, redact }: StartOptions): (line: string) => void {
  let lines = 0;
  return (line) => {
    lines += 1;
    if (lines > MAX_STDERR_LINES_PER_START) return;
    log.info('external server', { mount: id, stderr: escapeInvisible(redact(line)) });
    if (lines === MAX_STDERR_LINES_PER_START) log.info('external server: no further lines', { mount: id });
  };
}
