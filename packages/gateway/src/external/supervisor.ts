import type { Clock } from '@deskside/core/base';
import { escapeInvisible } from '@deskside/core/text';
import type { Connection, ConnectionEvents, ListName } from './connection.ts';
import { unavailable } from './problems.ts';
import { loginAnswer, quoted, reasonOf } from './reasons.ts';
import { type StartOptions, startServer } from './start-server.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A call waits for an attempt that is due so soon. */
const SHORT_PAUSE_MS = 2000;
/** A server can announce changes as often as it wants; its lists are read at most this often. */
const LISTING_INTERVAL_MS = 1000;

export interface SupervisorOptions extends Omit<StartOptions, 'events'> {
  readonly events: Pick<ConnectionEvents, 'onUpdated' | 'onMessage' | 'onQuestion'>;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** Whether a server that failed is tried again without a call. */
  readonly triesAlone: boolean;
  /** The resources that are subscribed now: they may have changed while the server did not run. Default: as before. */
  readonly watched?: () => ReadonlySet<string>;
  /** Called when the server was stopped because it was idle. */
  readonly onIdle?: (() => void) | undefined;
}

/** What is done now. A state has all that belongs to it, its alarms included. */
type State =
  | { readonly kind: 'resting' | 'closed' }
  | {
      readonly kind: 'starting';
      readonly connection: Promise<Connection>;
      readonly closing: AbortController;
      /** A list that has changed meanwhile, perhaps after it was read. */
      changed?: ListName;
    }
  | { readonly kind: 'running'; readonly connection: Connection; listing: 'idle' | 'reading' | 'again' }
  /** Until the next attempt after a failure. */
  | { readonly kind: 'waiting'; readonly dueAt: number };

interface Health {
  failures: number;
  /** Why the server cannot be used now. */
  reason: string | undefined;
  /** What the last call of the running server met. */
  call: string | undefined;
  isEraKnown: boolean;
}

/** Starts one server when it is needed, ends it when it is idle, and tries again, for ever, if it fails. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #health: Health = { failures: 0, reason: undefined, call: undefined, isEraKnown: true };
  #state: State = { kind: 'resting' };
  readonly #alarms = new Map<'idle' | 'retry' | 'listing', () => void>();
  /** Dropped, and perhaps still in use. */
  #dropped: Connection[] = [];
  #users = 0;
  #watched: ReadonlySet<string> = new Set();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Why the server cannot be used now, or what its last call met; undefined if all is well, or it was not tried. */
  get reason(): string | undefined {
    const { reason, call } = this.#health;
    return reason ?? (call === undefined ? undefined : `The last call failed: ${call}`);
  }

  /** Whether a call or a subscription needs the server. */
  get isUsed(): boolean {
    return this.#users > 0;
  }

  get isRunning(): boolean {
    return this.#connection !== undefined;
  }

  get #connection(): Connection | undefined {
    return this.#state.kind === 'running' ? this.#state.connection : undefined;
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
    const state = this.#state;
    if (state.kind !== 'running' && state.kind !== 'starting') return;
    // A start that fails is reported where it began.
    const connection = await Promise.resolve(state.connection).catch(() => undefined);
    await connection?.rootsChanged().catch(this.#onProblem);
  }

  /** What a call has met: a sentence, or undefined if the server has answered. */
  met(sentence: string | undefined): void {
    this.#health.call = sentence;
  }

  /** A connection that turned out to be of no use. Without a reason the next call opens another one at once. */
  drop(connection: Connection, reason?: string): void {
    if (this.#connection !== connection) return;
    if (reason === undefined) this.#enter({ kind: 'resting' });
    else this.#failed(reason);
    // Other calls may still get their answers.
    connection.retire();
    this.#dropped = [...this.#dropped, connection].filter(({ isOpen }) => isOpen);
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#enter({ kind: 'closed' });
    if (state.kind === 'starting') state.closing.abort();
    const running = state.kind === 'running' ? [state.connection] : [];
    const open = [...running, ...this.#dropped];
    await Promise.all(open.map((connection) => connection.close().catch(this.#onProblem)));
    // It fails, because the signal ends it.
    if (state.kind === 'starting') await state.connection.catch(() => undefined);
  }

  /** The alarms of the state before do not ring any more. */
  #enter(state: State): void {
    for (const stop of this.#alarms.values()) stop();
    this.#alarms.clear();
    this.#state = state;
  }

  #alarm(name: 'idle' | 'retry' | 'listing', ms: number, ring: () => void): void {
    this.#alarms.get(name)?.();
    this.#alarms.set(name, this.#options.startTimer(ms, ring));
  }

  #begin(): void {
    this.#users += 1;
    this.#alarms.get('idle')?.();
  }

  #end(): void {
    this.#users -= 1;
    this.#restLater();
  }

  #restLater(): void {
    const connection = this.#connection;
    if (this.#users > 0 || connection === undefined) return;
    this.#alarm('idle', this.#options.limits.idleMs, () => {
      this.#options.log.info('external server stopped, because it was idle', { mount: this.#options.id });
      this.drop(connection);
      this.#options.onIdle?.();
    });
  }

  #ready(): Promise<Connection> {
    const state = this.#state;
    const { id, clock } = this.#options;
    if (state.kind === 'running') return Promise.resolve(state.connection);
    if (state.kind === 'starting') return state.connection;
    if (state.kind === 'closed')
      return Promise.reject(unavailable(`${id} is closing.`, 'Continue without it.'));
    if (state.kind === 'waiting' && state.dueAt - clock.elapsedMs() > SHORT_PAUSE_MS) {
      const seconds = Math.ceil((state.dueAt - clock.elapsedMs()) / 1000);
      const problem = `${id} is not available. ${this.#health.reason ?? ''}`.trim();
      return Promise.reject(unavailable(problem, `Continue without it. It is tried again in ${seconds} s.`));
    }
    const closing = new AbortController();
    const { promise: connection, resolve, reject } = Promise.withResolvers<Connection>();
    this.#enter({ kind: 'starting', connection, closing });
    this.#open(closing.signal).then(resolve, reject);
    return connection;
  }

  #readyLater(): void {
    // No caller waits: the failure has been logged, and is tried again.
    this.#ready().catch(() => undefined);
  }

  async #open(closing: AbortSignal): Promise<Connection> {
    const { id, log, watched } = this.#options;
    try {
      const options = { ...this.#options, events: this.#events() };
      const connection = await startServer(options, this.#health.isEraKnown, closing);
      // The last moment: a closed supervisor runs nothing.
      if (closing.aborted) await connection.close();
      closing.throwIfAborted();
      const changed = this.#state.kind === 'starting' ? this.#state.changed : undefined;
      Object.assign(this.#health, { failures: 0, reason: undefined, call: undefined });
      this.#enter({ kind: 'running', connection, listing: 'idle' });
      log.info('external server started', { mount: id, era: connection.era });
      const uris = watched?.() ?? this.#watched;
      if (uris.size + this.#watched.size > 0) this.watch(uris);
      this.#restLater();
      if (changed !== undefined) this.#changed(changed);
      return connection;
    } catch (error) {
      this.#health.isEraKnown = false;
      const reason = reasonOf(error, this.#options);
      const login = loginAnswer(error, this.#options);
      if (!closing.aborted && login === undefined) this.#failed(reason);
      else if (!closing.aborted) {
        this.#health.reason = reason;
        this.#enter({ kind: 'resting' });
      }
      throw (
        login ?? unavailable(`${id} is not available. ${reason}`, 'Continue without it, or try again later.')
      );
    }
  }

  readonly #onProblem = (error: unknown): void => {
    const { id, log, redact } = this.#options;
    log.debug('external server', { mount: id, problem: quoted(error, redact) });
  };

  #events(): ConnectionEvents {
    const { id, log, redact, events } = this.#options;
    return {
      ...events,
      onListChanged: (list) => this.#changed(list),
      onEnded: () => this.#ended(),
      onProblem: this.#onProblem,
      onRefused: ({ uris, cause }) =>
        log.warn('external server does not report changes', {
          mount: id,
          resources: uris.map((uri) => escapeInvisible(redact(uri))),
          reason: quoted(cause, redact),
        }),
    };
  }

  /** A server that ends while it starts fails the start. */
  #ended(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const { exit } = connection;
    // Proxies end a stream on which nothing happens.
    const isOrderly = this.#users === 0 && (exit === undefined || exit === 'exit code 0');
    if (!isOrderly) return this.#failed(exit === undefined ? 'Its connection ended.' : `It ended (${exit}).`);
    this.#enter({ kind: 'resting' });
    this.#options.log.info('external server has ended', { mount: this.#options.id });
  }

  #failed(reason: string): void {
    const { id, log, clock, triesAlone } = this.#options;
    const health = this.#health;
    if (reason !== health.reason) log.error('external server not available', { mount: id, reason });
    health.reason = reason;
    health.failures += 1;
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(health.failures - 1, 10), LONGEST_PAUSE_MS);
    this.#enter({ kind: 'waiting', dueAt: clock.elapsedMs() + ms });
    if (!triesAlone) return;
    this.#alarm('retry', ms, () => {
      this.#enter({ kind: 'resting' });
      this.#readyLater();
    });
  }

  #changed(list: ListName): void {
    const state = this.#state;
    if (state.kind === 'starting') state.changed = list;
    if (state.kind !== 'running') return;
    const { id, log } = this.#options;
    log.debug('external server: list changed', { mount: id, list });
    if (state.listing !== 'idle') {
      state.listing = 'again';
      return;
    }
    state.listing = 'reading';
    void this.#readAgain(state.connection).finally(() => {
      if (this.#state !== state) return;
      this.#alarm('listing', LISTING_INTERVAL_MS, () => {
        const isDue = state.listing === 'again';
        state.listing = 'idle';
        if (isDue) this.#changed(list);
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

/** The same promise, which a signal ends sooner. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
