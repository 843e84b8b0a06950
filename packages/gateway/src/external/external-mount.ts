import { changeFeed, type Log, type OwnChangeFeed, type RequestContext } from '@deskside/core';
import type { ClientRoots } from '@deskside/core/internal';
import { type Clock, systemClock } from '@deskside/core/base';
import type { ClientCapabilities, Result } from '@modelcontextprotocol/client';
import { withoutUndefined } from '../config/tables.ts';
import type { AcceptedTool, Mount, MountStatus } from '../mounts/mount.ts';
import { backgroundTimer, type StartTimer } from '../mounts/timer.ts';
import { type ExternalBackend, externalDefinition } from './definition.ts';
import { type ForwardedRequest, Forwarder } from './forwarder.ts';
import type { ListingSource, ServerListing } from './listing.ts';
import { presented, type PresentedListing } from './presented.ts';
import { unavailable } from './problems.ts';
import { loginNeeded, type Named, neededLogin } from './reasons.ts';
import type { ExternalLimits, ExternalSpec } from './spec.ts';
import type { OpenTransport } from './transport.ts';

const MINUTE_MS = 60_000;

export const DEFAULT_LIMITS: ExternalLimits = {
  startMs: MINUTE_MS,
  callMs: 10 * MINUTE_MS,
  resultBytes: 4 * 1024 * 1024,
  idleMs: 10 * MINUTE_MS,
};

/** Of one mount with `per-client`, and of one user of it. */
const MAX_CLIENTS = 64;
const MAX_CLIENTS_OF_USER = 32;

const EMPTY: PresentedListing = {
  identity: undefined,
  instructions: undefined,
  tools: new Map(),
  prompts: new Map(),
  resources: [],
  templates: [],
};

export interface ExternalContext {
  readonly source: ListingSource;
  readonly log: Log;
  /** One for all mounts. */
  readonly openTransport: OpenTransport;
  readonly startTimer?: StartTimer;
  readonly clock?: Pick<Clock, 'elapsedMs'>;
  /** A call has failed because the server needs a login, which the sentence says. */
  readonly onLoginNeeded?: (sentence: string, ctx: RequestContext) => void;
}

export interface OpenedExternal {
  readonly mount: Mount;
  readonly close: () => Promise<void>;
}

/** Makes a mount of an external server. Starts nothing: its lists come from the source. */
export function openExternal(id: string, spec: ExternalSpec, context: ExternalContext): OpenedExternal {
  const server = new ExternalMount(id, spec, context);
  const { brief, flat } = spec;
  return {
    mount: {
      id,
      definition: externalDefinition(id, server),
      isForeign: true,
      approvals: { rules: spec.approvals, toolOf: (name) => server.toolOf(name) },
      status: () => server.status(),
      ...withoutUndefined({ brief, flat }),
    },
    close: () => server.close(),
  };
}

/** The server of one client, with what removes it. */
interface ClientLine {
  readonly line: Forwarder;
  readonly user: string;
  readonly remove: () => void;
}

class ExternalMount implements ExternalBackend {
  readonly changes: OwnChangeFeed = changeFeed();
  listing: ServerListing | undefined;
  presented: PresentedListing;
  readonly #named: Named;
  readonly #spec: ExternalSpec;
  readonly #context: ExternalContext;
  readonly #limits: ExternalLimits;
  readonly #shared: Forwarder | undefined;
  /** The longest unused one first. */
  readonly #clients = new Map<string, ClientLine>();
  readonly #watched = new Map<string, number>();
  #isClosed = false;

  constructor(id: string, spec: ExternalSpec, context: ExternalContext) {
    this.#named = { id, title: spec.title ?? id, redact: spec.redact };
    this.#spec = spec;
    this.#context = context;
    this.#limits = { ...DEFAULT_LIMITS, ...spec.limits };
    this.listing = context.source.current();
    context.source.onAccepted?.((listing) => this.#use(listing));
    this.presented = this.#present(this.listing);
    if (spec.isolation !== 'per-client') this.#shared = this.#line({}, undefined, undefined);
  }

  async forward(request: ForwardedRequest, ctx: RequestContext): Promise<Result> {
    const { user } = ctx.principal;
    const server = this.#isOther(ctx) ? await this.#spec.logins?.serverOf(user) : undefined;
    // Meanwhile the caller may have given up, or ended.
    ctx.signal.throwIfAborted();
    if (this.#isClosed) {
      const problem = `${this.#named.id} was removed, or its settings have changed.`;
      throw unavailable(problem, 'Read the list of tools again.');
    }
    const shared = server === undefined ? this.#shared : undefined;
    return (shared ?? this.#lineOf(ctx, server)).forward(request, ctx);
  }

  /** Each user of the desk has a login of their own. */
  #isOther({ principal: { user } }: RequestContext): boolean {
    const { logins } = this.#spec;
    return logins !== undefined && user !== logins.owner;
  }

  /** What a caller gets if the server needs a login. */
  #withLogin(error: unknown, ctx: RequestContext): unknown {
    const sentence = neededLogin(error);
    if (sentence === undefined) return error;
    if (this.#isOther(ctx)) return loginNeeded(sentence, this.#named.id, ctx.principal.user);
    this.#context.onLoginNeeded?.(sentence, ctx);
    return error;
  }

  toolOf(name: string): AcceptedTool | undefined {
    const definition = this.presented.tools.get(name)?.original;
    return definition && { name: definition.name, annotations: definition.annotations, definition };
  }

  status(): MountStatus {
    if (this.listing === undefined) {
      return { state: 'degraded', reason: 'It is not accepted yet. Run "deskside apply".' };
    }
    // That of a client which does nothing anymore would stay.
    const line = this.#shared ?? this.#clientLines().at(-1);
    const reason = line?.supervisor.reason;
    return reason === undefined ? { state: 'ready' } : { state: 'degraded', reason };
  }

  watchResource(uri: string): () => void {
    this.#watched.set(uri, (this.#watched.get(uri) ?? 0) + 1);
    this.#watchAll();
    return () => {
      const left = (this.#watched.get(uri) ?? 1) - 1;
      if (left === 0) this.#watched.delete(uri);
      else this.#watched.set(uri, left);
      this.#watchAll();
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const lines = [...(this.#shared === undefined ? [] : [this.#shared]), ...this.#clientLines()];
    this.#clients.clear();
    await Promise.all(lines.map((line) => line.close()));
  }

  #clientLines(): readonly Forwarder[] {
    return [...this.#clients.values()].map(({ line }) => line);
  }

  #watchAll(): void {
    const uris = new Set(this.#watched.keys());
    if (this.#shared !== undefined) this.#shared.supervisor.watch(uris);
    // Only a call starts the server of a client.
    for (const { supervisor } of this.#clientLines()) if (supervisor.isRunning) supervisor.watch(uris);
  }

  /**
   * The server of one connection or token, which ends with it: a client can name any number of conversations.
   *
   * @param server with the login of the caller
   */
  #lineOf(ctx: RequestContext, server: ExternalSpec['server'] | undefined): Forwarder {
    const { ended } = ctx.caller;
    const isShared = this.#shared !== undefined;
    const clientRoots = isShared ? undefined : ctx.caller.roots;
    const { roots, elicitation, sampling } = isShared ? {} : ctx.input.capabilities;
    const capabilities: ClientCapabilities = {
      // Only the legacy era has a message for changed roots.
      ...(roots === undefined ? {} : { roots: clientRoots === undefined ? {} : roots }),
      ...withoutUndefined({ elicitation, sampling }),
    };
    // Each request of the modern era says what its client can do.
    const own = server === undefined ? '' : ctx.principal.user;
    const key = `${ctx.caller.connection} ${JSON.stringify(capabilities)} ${own}`;
    const known = this.#clients.get(key);
    if (known !== undefined) {
      this.#clients.delete(key);
      this.#clients.set(key, known);
      return known.line;
    }
    const { user } = ctx.principal;
    this.#makeRoom(MAX_CLIENTS_OF_USER, (client) => client.user === user);
    this.#makeRoom(MAX_CLIENTS, () => true);
    const remove = () => {
      // A later server of the same client stays.
      if (this.#clients.get(key)?.line === line) this.#clients.delete(key);
      ended?.removeEventListener('abort', remove);
      void line.close();
    };
    const line = this.#line(capabilities, remove, clientRoots, server);
    this.#clients.set(key, { line, user, remove });
    ended?.addEventListener('abort', remove, { once: true });
    return line;
  }

  /** Ends the longest unused server. @throws UserError if each is used by a call or a subscription */
  #makeRoom(max: number, counts: (client: ClientLine) => boolean): void {
    const clients = [...this.#clients.values()].filter(counts);
    if (clients.length < max) return;
    const unused = clients.find(({ line }) => !line.supervisor.isUsed);
    if (unused === undefined) {
      throw unavailable(`${this.#named.id} serves ${max} clients already.`, 'Try again later.');
    }
    unused.remove();
  }

  #line(
    capabilities: ClientCapabilities,
    onIdle: (() => void) | undefined,
    roots: ClientRoots | undefined,
    server = this.#spec.server,
  ): Forwarder {
    const { startTimer = backgroundTimer, clock = systemClock } = this.#context;
    return new Forwarder({
      server: {
        ...this.#named,
        ...this.#context,
        server,
        limits: this.#limits,
        capabilities,
        startTimer,
        clock,
        triesAlone: onIdle === undefined,
        watched: () => new Set(this.#watched.keys()),
        onIdle,
        onListing: (listing) => this.#use(listing),
        events: { onUpdated: (uri) => this.#updated(uri) },
      },
      roots,
      failureOf: (error, ctx) => this.#withLogin(error, ctx),
    });
  }

  /** A resource that no client watches here may be of another mount. */
  #updated(uri: string): void {
    for (const watched of this.#watched.keys()) if (isPartOf(uri, watched)) this.changes.updated(watched);
  }

  #present(listing: ServerListing | undefined): PresentedListing {
    if (listing === undefined) return EMPTY;
    const { flat = false, publicName } = this.#spec;
    return presented(listing, { prefix: flat ? '' : `${this.#named.id}_`, publicName });
  }

  #use(listing: ServerListing): void {
    const before = this.listing;
    this.listing = listing;
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(listing)) return;
    this.presented = this.#present(listing);
    const differs = (member: 'tools' | 'prompts' | 'resources' | 'resourceTemplates') =>
      JSON.stringify(before?.[member]) !== JSON.stringify(listing[member]);
    if (differs('tools')) this.changes.changed('tools');
    if (differs('prompts')) this.changes.changed('prompts');
    if (differs('resources') || differs('resourceTemplates')) this.changes.changed('resources');
  }
}

/** A server may report the part of a resource that has changed. */
function isPartOf(uri: string, watched: string): boolean {
  if (!uri.startsWith(watched)) return false;
  return uri === watched || watched.endsWith('/') || /^[/?#]/.test(uri.slice(watched.length));
}
