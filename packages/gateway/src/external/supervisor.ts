import type { Log } from '@deskside/core';
import type { Clock } from '@deskside/core/base';
import { escapeInvisible } from '@deskside/core/text';
import { type ClientCapabilities, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { StartTimer } from '../mounts/timer.ts';
import { Connection, type ConnectionEvents, type ListName } from './connection.ts';
import type { ListingSource, ServerListing } from './listing.ts';
import { StartFailure, unavailable } from './problems.ts';
import { unlessAborted } from './running-call.ts';
import { isEraUnknown, loginAnswer, type Named, quoted, reasonOf, refusesStreamableHttp } from './reasons.ts';
import type { ExternalLimits, ExternalSpec, ServerAddress, ServerCommand } from './spec.ts';
import type { Refusal } from './subscriptions.ts';
import type { OpenTransport, ServerTransport } from './transport.ts';

/** With the time for the lists it ends before clients give up, which is after 60 s. */
const START_LIMIT_MS = 20_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A call waits for an attempt that is due so soon. */
const SHORT_PAUSE_MS = 2000;
/** A server can announce changes as often as it wants; its lists are read at most this often. */
const LISTING_INTERVAL_MS = 1000;
const FIRST_MODERN_VERSION = '2026-07-28';
const MAX_STDERR_LINES_PER_START = 1000;

export interface SupervisorOptions extends Named {
  readonly server: ExternalSpec['server'];
  readonly limits: ExternalLimits;
  readonly openTransport: OpenTransport;
  readonly log: Log;
  readonly source: ListingSource;
  /** What the server may ask its client. */
  readonly capabilities: ClientCapabilities;
  readonly startTimer: StartTimer;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  readonly events: Pick<ConnectionEvents, 'onUpdated' | 'onMessage' | 'onQuestion'>;
  /** What may be used now, after each start and each change. */
  readonly onListing: (listing: ServerListing) => void;
  /** Default: 20 s. */
  readonly startLimitMs?: number;
  /** Whether a server that failed is tried again without a call. */
  readonly triesAlone: boolean;
  /** The resources that are subscribed now: they may have changed while the server did not run. Default: as before. */
  readonly watched?: () => ReadonlySet<string>;
  /** Called when the server was stopped because it was idle. */
  readonly onIdle?: (() => void) | undefined;
}

/** Starts one server when it is needed, ends it when it is idle, and tries again, for ever, if it fails. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #connection: Connection | undefined;
  #starting: Promise<Connection> | undefined;
  #users = 0;
  #failures = 0;
  #reason: string | undefined;
  /** The next attempt after a failure. */
  #pause: { readonly dueAt: number; readonly stop: () => void } | undefined;
  #stopIdleTimer: (() => void) | undefined;
  #listing: 'idle' | 'reading' | 'again' = 'idle';
  #stopListingTimer: (() => void) | undefined;
  /** A list that changed while the server started, perhaps after it was read. */
  #changedAtStart: ListName | undefined;
  #watched: ReadonlySet<string> = new Set();
  readonly #closing = new AbortController();
  #isEraKnown = true;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Why the server cannot be used now; undefined if it can, or was not tried. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Whether a call or a subscription needs the server. */
  get isUsed(): boolean {
    return this.#users > 0;
  }

  get isRunning(): boolean {
    return this.#connection !== undefined;
  }

  /**
   * Runs work with the started server, which stays until the work is done.
   *
   * @throws UserError UNAVAILABLE if it cannot be started
   */
  async use<T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#begin();
    try {
      const connection = this.#connection ?? (await unlessAborted(this.#ready(), signal));
      return await connection.whileUsed(work);
    } finally {
      this.#end();
    }
  }

  /** Subscribes to these resources; a server that is watched does not stop. */
  watch(uris: ReadonlySet<string>): void {
    const wasWatching = this.#watched.size > 0;
    this.#watched = new Set(uris);
    const isWatching = uris.size > 0;
    if (isWatching && !wasWatching) this.#begin();
    if (this.#connection !== undefined) void this.#connection.watch(this.#watched);
    else if (isWatching) this.#readyLater();
    if (!isWatching && wasWatching) this.#end();
  }

  /** Says that the client has other roots. A server that does not run asks for them when it starts. */
  async rootsChanged(): Promise<void> {
    // A start that fails is reported where it began.
    const connection = this.#connection ?? (await this.#starting?.catch(() => undefined));
    await connection?.rootsChanged().catch(this.#onProblem);
  }

  /** A connection that turned out to be of no use. Without a reason the next call opens another one at once. */
  drop(connection: Connection, reason?: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    // Other calls may still get their answers.
    connection.retire();
    if (reason !== undefined) this.#failed(reason);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pause?.stop();
    this.#stopIdleTimer?.();
    this.#stopListingTimer?.();
    const [starting, connection] = [this.#starting, this.#connection];
    this.#connection = undefined;
    await connection?.close().catch(this.#onProblem);
    // It fails, because the signal of the closing ends it.
    await starting?.catch(() => undefined);
  }

  #begin(): void {
    this.#users += 1;
    this.#stopIdleTimer?.();
    this.#stopIdleTimer = undefined;
  }

  #end(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#waitForIdle();
  }

  #waitForIdle(): void {
    if (this.#connection === undefined || this.#closing.signal.aborted) return;
    this.#stopIdleTimer?.();
    this.#stopIdleTimer = this.#options.startTimer(this.#options.limits.idleMs, () => {
      const connection = this.#connection;
      if (this.#users > 0 || connection === undefined) return;
      this.#options.log.info('external server stopped, because it was idle', { mount: this.#options.id });
      this.drop(connection);
      this.#options.onIdle?.();
    });
  }

  #ready(): Promise<Connection> {
    const { clock } = this.#options;
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    if (this.#starting !== undefined) return this.#starting;
    if (this.#pause !== undefined && this.#pause.dueAt - clock.elapsedMs() > SHORT_PAUSE_MS) {
      const seconds = Math.ceil((this.#pause.dueAt - clock.elapsedMs()) / 1000);
      const problem = `${this.#options.id} is not available. ${this.#reason ?? ''}`.trim();
      return Promise.reject(unavailable(problem, `Continue without it. It is tried again in ${seconds} s.`));
    }
    return this.#start();
  }

  #readyLater(): void {
    // No caller waits: the failure has been logged, and is tried again.
    this.#ready().catch(() => undefined);
  }

  #start(): Promise<Connection> {
    this.#pause?.stop();
    this.#pause = undefined;
    const starting = this.#open();
    this.#starting = starting;
    const ended = () => {
      if (this.#starting === starting) this.#starting = undefined;
    };
    starting.then(ended, ended);
    return starting;
  }

  async #open(): Promise<Connection> {
    const { id, log } = this.#options;
    if (this.#closing.signal.aborted) throw unavailable(`${id} is closing.`, 'Continue without it.');
    try {
      const connection = await this.#connect();
      this.#connection = connection;
      this.#failures = 0;
      this.#reason = undefined;
      log.info('external server started', { mount: id, era: connection.era });
      const watched = this.#options.watched?.() ?? this.#watched;
      if (watched.size + this.#watched.size > 0) this.watch(watched);
      if (this.#users === 0) this.#waitForIdle();
      if (this.#changedAtStart !== undefined) this.#changed(connection, this.#changedAtStart);
      this.#changedAtStart = undefined;
      return connection;
    } catch (error) {
      this.#isEraKnown = false;
      const reason = reasonOf(error, this.#options);
      const login = loginAnswer(error, this.#options);
      if (login !== undefined) this.#reason = reason;
      else if (!this.#closing.signal.aborted) this.#failed(reason);
      throw (
        login ?? unavailable(`${id} is not available. ${reason}`, 'Continue without it, or try again later.')
      );
    }
  }

  async #connect(): Promise<Connection> {
    const server = await this.#options.server();
    const known = this.#options.source.current()?.protocolVersion;
    const isLegacy = this.#isEraKnown && known !== undefined && known < FIRST_MODERN_VERSION;
    const { connection, isOpen } = await this.#attempt(server, isLegacy).catch(async (error: unknown) => {
      // An old server refuses the first request of Streamable HTTP.
      if (refusesStreamableHttp(error))
        return this.#attempt(server, true, true).catch((late: unknown) =>
          Promise.reject(late instanceof StartFailure ? late : error),
        );
      // Some servers of the legacy era end when they get a request that they do not know.
      if ('url' in server || isLegacy || !isEraUnknown(error)) throw error;
      return this.#attempt(server, true);
    });
    const giveUp = () => void connection.close().catch(this.#onProblem);
    this.#closing.signal.addEventListener('abort', giveUp, { once: true });
    try {
      const { listing, problems } = await connection.listing();
      const usable = await this.#options.source.observed(listing, problems);
      if (!isOpen()) throw new SdkError(SdkErrorCode.ConnectionClosed, 'The server ended.');
      this.#options.onListing(usable);
      return connection;
    } catch (error) {
      const { exit } = connection;
      await connection.close().catch(this.#onProblem);
      throw exit === undefined ? error : this.#startFailure(error, exit);
    } finally {
      this.#closing.signal.removeEventListener('abort', giveUp);
    }
  }

  async #attempt(server: ServerCommand | ServerAddress, isLegacy: boolean, isSse = false) {
    const { capabilities, events, startTimer, startLimitMs = START_LIMIT_MS } = this.#options;
    const transport = this.#transportTo(server, isSse);
    const state: { opened?: Connection; isOpen: boolean } = { isOpen: true };
    const limit = new AbortController();
    const stopTimer = startTimer(startLimitMs, () => limit.abort());
    const own: ConnectionEvents = {
      ...events,
      onListChanged: (list) => this.#changed(state.opened, list),
      onClosed: () => {
        state.isOpen = false;
        if (state.opened !== undefined) this.#ended(state.opened);
      },
      onRefused: (refusal) => this.#refused(refusal),
      onProblem: this.#onProblem,
    };
    const connection = await Connection.open({
      transport,
      isLegacy,
      // Half of the time is left for the other era.
      probeMs: startLimitMs / 2,
      capabilities,
      signal: AbortSignal.any([this.#closing.signal, limit.signal]),
      startTimer,
      events: own,
    })
      .catch((error: unknown) => {
        if (limit.signal.aborted) {
          // Its error is only the end of the attempt.
          const seconds = `within ${startLimitMs / 1000} s.`;
          const isRenewing = 'url' in server && (server.login?.isRenewing ?? false);
          const problem = isRenewing ? `Its login was not renewed ${seconds}` : `It did not start ${seconds}`;
          throw new StartFailure(problem, { cause: limit.signal.reason });
        }
        throw transport.exit === undefined ? error : this.#startFailure(error, transport.exit);
      })
      .finally(stopTimer);
    state.opened = connection;
    return { connection, isOpen: () => state.isOpen };
  }

  #startFailure(error: unknown, exit: string): Error {
    return new StartFailure(reasonOf(error, this.#options, exit), { cause: error });
  }

  #transportTo(server: ServerCommand | ServerAddress, isSse: boolean): ServerTransport {
    const { id, limits, log, openTransport, redact } = this.#options;
    let lines = 0;
    return openTransport(server, {
      maxMessageBytes: limits.resultBytes,
      isSse,
      onStderr: (line) => {
        lines += 1;
        if (lines > MAX_STDERR_LINES_PER_START) return;
        log.info('external server', { mount: id, stderr: escapeInvisible(redact(line)) });
        if (lines === MAX_STDERR_LINES_PER_START)
          log.info('external server: no further lines', { mount: id });
      },
    });
  }

  readonly #onProblem = (error: unknown): void => {
    const { id, log, redact } = this.#options;
    log.debug('external server', { mount: id, problem: quoted(error, redact) });
  };

  #refused({ uris, cause }: Refusal): void {
    const { id, log, redact } = this.#options;
    log.warn('external server does not report changes', {
      mount: id,
      resources: uris.map((uri) => escapeInvisible(redact(uri))),
      reason: quoted(cause, redact),
    });
  }

  /** The server has ended by itself. */
  #ended(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#stopIdleTimer?.();
    const { exit } = connection;
    // Proxies end a stream on which nothing happens.
    const isOrderly = this.#users === 0 && (exit === undefined || exit === 'exit code 0');
    if (isOrderly) this.#options.log.info('external server has ended', { mount: this.#options.id });
    else this.#failed(exit === undefined ? 'Its connection ended.' : `It ended (${exit}).`);
  }

  #failed(reason: string): void {
    const { id, log, startTimer, clock } = this.#options;
    if (reason !== this.#reason) log.error('external server not available', { mount: id, reason });
    this.#reason = reason;
    this.#failures += 1;
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#failures - 1, 10), LONGEST_PAUSE_MS);
    this.#pause?.stop();
    const tryAgain = () => {
      this.#pause = undefined;
      this.#readyLater();
    };
    const stop = this.#options.triesAlone ? startTimer(ms, tryAgain) : () => undefined;
    this.#pause = { dueAt: clock.elapsedMs() + ms, stop };
  }

  #changed(connection: Connection | undefined, list: ListName): void {
    const { id, log, startTimer } = this.#options;
    if (this.#connection === undefined && this.#starting !== undefined) this.#changedAtStart = list;
    if (connection === undefined || connection !== this.#connection) return;
    log.debug('external server: list changed', { mount: id, list });
    if (this.#listing !== 'idle') {
      this.#listing = 'again';
      return;
    }
    this.#listing = 'reading';
    void this.#readAgain(connection).finally(() => {
      this.#stopListingTimer = startTimer(LISTING_INTERVAL_MS, () => {
        const isDue = this.#listing === 'again';
        this.#listing = 'idle';
        if (isDue && this.#connection !== undefined) this.#changed(this.#connection, list);
      });
    });
  }

  async #readAgain(connection: Connection): Promise<void> {
    try {
      const { listing, problems } = await connection.listing();
      const usable = await this.#options.source.observed(listing, problems);
      if (this.#connection === connection) this.#options.onListing(usable);
    } catch (error) {
      this.drop(connection, reasonOf(error, this.#options, connection.exit));
    }
  }
}
