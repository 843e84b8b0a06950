import { type InitializeRequest, isInitializeRequest, type Server } from '@modelcontextprotocol/server';
import { systemClock } from '../../base/clock.ts';
import type { Principal } from '../../definition/context.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { authInfoOf, type Shared } from '../protocol/connection.ts';
import { watchRoots } from '../protocol/caller.ts';
import { createServer, forwardChanges, listChanges } from '../protocol/protocol-server.ts';
import { sealWith } from '../protocol/seal.ts';
import { rpcError, whenSent } from './responses.ts';
import { type SessionClaim, SessionIds, userKey } from './session-id.ts';
import { SessionTransport, whenAnswered } from './session-transport.ts';

const SWEEP_INTERVAL_MS = 60_000;
/** Ids of ended sessions that are remembered, so that they are refused. */
const MAX_ENDED_SESSIONS = 10_000;

interface Session {
  readonly id: string;
  readonly claim: SessionClaim;
  readonly transport: SessionTransport;
  readonly server: Server;
  askRoots: () => void;
  /** Requests that are not answered: the session must stay until each has its answer. */
  busy: number;
  /** Streams of a GET. */
  streams: number;
  usedAtMs: number;
}

/**
 * Streamable HTTP of the legacy era with sessions, which elicitation and roots need. The id of a session contains what
 * is needed to continue it, so a session that is not in memory is created again with its next request.
 * See docs/decisions/0031.
 */
export class LegacySessions {
  readonly #definition: ServerDefinition;
  readonly #shared: Shared;
  readonly #ids: SessionIds;
  readonly #sessions = new Map<string, Session>();
  readonly #reviving = new Map<string, Promise<Session>>();
  /** Keys of sessions that their client has ended, the oldest first. */
  readonly #ended = new Set<string>();
  readonly #sweep: NodeJS.Timeout;

  constructor(definition: ServerDefinition, shared: Shared) {
    this.#definition = definition;
    this.#shared = shared;
    this.#ids = new SessionIds(sealWith(shared.secret, 'session id'));
    this.#sweep = setInterval(() => this.#evictUnused(), SWEEP_INTERVAL_MS).unref();
  }

  /** Sessions in memory. */
  get size(): number {
    return this.#sessions.size;
  }

  /** @param body the parsed body of a POST */
  async handle(request: Request, principal: Principal, body: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(body)) return this.#start(request, principal, body);
      return rpcError(
        400,
        -32_000,
        'Bad Request: send initialize first, then the Mcp-Session-Id of its response',
      );
    }
    const claim = this.#sessions.get(id)?.claim ?? this.#ids.open(id);
    // The session of another user is answered like an unknown one.
    if (claim?.user !== userKey(principal.user) || !this.#isValid(claim)) return notFound();
    if (request.method === 'DELETE' && !this.#sessions.has(id)) {
      this.#remember(claim);
      return new Response(null, { status: 200 });
    }
    const session = await this.#held(id, claim, principal);
    return this.#exchange(session, request, principal, body);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
    this.#sessions.clear();
  }

  #isValid({ key, expiresAt }: SessionClaim): boolean {
    return expiresAt >= Date.now() && !this.#ended.has(key);
  }

  async #start(request: Request, principal: Principal, body: InitializeRequest): Promise<Response> {
    const session = await this.#create(this.#ids.create(principal.user, body.params), principal);
    return this.#exchange(session, request, principal, body);
  }

  /** The session of a request that is about to be handled. Concurrent requests of one session revive it once. */
  async #held(id: string, claim: SessionClaim, principal: Principal): Promise<Session> {
    const reviving = this.#reviving.get(id);
    const session = reviving === undefined ? this.#sessions.get(id) : await reviving;
    if (session !== undefined) {
      session.busy += 1;
      return session;
    }
    const revival = this.#revive(id, claim, principal);
    this.#reviving.set(id, revival);
    try {
      // It holds the session already, as the request that created it.
      return await revival;
    } finally {
      this.#reviving.delete(id);
    }
  }

  /** Repeats the client's own handshake on a new server object. */
  async #revive(id: string, claim: SessionClaim, principal: Principal): Promise<Session> {
    const session = await this.#create(id, principal);
    const handshake = [
      { jsonrpc: '2.0', id: 0, method: 'initialize', params: claim.initialize },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ];
    try {
      for (const message of handshake) {
        const headers = {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'Mcp-Session-Id': id,
        };
        const request = new Request('http://localhost/', { method: 'POST', headers });
        session.busy += 1;
        const response = await this.#exchange(session, request, principal, message);
        await response.text();
      }
    } catch (error) {
      this.#evict(session);
      throw error;
    }
    session.transport.sendOnFirstStream(listChanges(this.#definition));
    this.#shared.log.info('session continued', { session: claim.key });
    return session;
  }

  async #create(id: string, principal: Principal): Promise<Session> {
    const claim = this.#ids.open(id);
    if (claim === undefined) throw new Error('A new session id cannot be opened.');
    const transport = new SessionTransport(id);
    const ended = new AbortController();
    transport.onclose = () => {
      this.#sessions.delete(id);
      ended.abort();
    };
    const roots = watchRoots(this.#shared.log);
    const connection = {
      era: 'legacy',
      transport: 'http',
      principal,
      session: `http/${claim.key}`,
      project: roots.project,
      roots: roots.client,
      ended: ended.signal,
    } as const;
    const server = createServer(this.#definition, connection, this.#shared);
    forwardChanges(server, this.#definition, connection, this.#shared.log);
    const askRoots = roots.connect(server);
    await server.connect(transport);
    const session: Session = {
      id,
      claim,
      transport,
      server,
      askRoots,
      busy: 1,
      streams: 0,
      usedAtMs: systemClock.elapsedMs(),
    };
    this.#sessions.set(id, session);
    return session;
  }

  /** Ends one `busy` of the session. */
  async #exchange(
    session: Session,
    request: Request,
    principal: Principal,
    body: unknown,
  ): Promise<Response> {
    try {
      const authInfo = authInfoOf(principal);
      const options = body === undefined ? { authInfo } : { authInfo, parsedBody: body };
      const response = await session.transport.handleRequest(request, options);
      if (request.method === 'DELETE' && response.ok) this.#remember(session.claim);
      if (request.method !== 'GET' || !response.ok) return response;
      // The client answers on this stream only, so no earlier question would reach it.
      session.askRoots();
      session.streams += 1;
      return whenSent(response, () => {
        session.streams -= 1;
        session.usedAtMs = systemClock.elapsedMs();
      });
    } finally {
      whenAnswered(request, () => {
        session.busy -= 1;
        session.usedAtMs = systemClock.elapsedMs();
        this.#evictAbove(session.claim.user);
      });
    }
  }

  #remember({ key }: SessionClaim): void {
    this.#ended.add(key);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED_SESSIONS && oldest !== undefined) this.#ended.delete(oldest);
  }

  #evictUnused(): void {
    const thresholdMs = systemClock.elapsedMs() - this.#shared.limits.sessionIdleMs;
    for (const session of this.#sessions.values()) {
      if (session.busy + session.streams === 0 && session.usedAtMs < thresholdMs) this.#evict(session);
    }
  }

  /** A session with a call in progress stays. One with an open stream is evicted after those without. */
  #evictAbove(user: string): void {
    if (this.#sessions.size <= this.#shared.limits.sessionsPerPrincipal) return;
    const own = [...this.#sessions.values()].filter(({ claim }) => claim.user === user);
    const excess = own.length - this.#shared.limits.sessionsPerPrincipal;
    if (excess <= 0) return;
    const idlest = own
      .filter(({ busy }) => busy === 0)
      .toSorted((a, b) => Number(a.streams > 0) - Number(b.streams > 0) || a.usedAtMs - b.usedAtMs);
    for (const session of idlest.slice(0, excess)) this.#evict(session);
  }

  #evict({ id, transport }: Session): void {
    this.#sessions.delete(id);
    transport.close().catch((error: unknown) => this.#shared.log.warn('session not closed', { error }));
  }
}

function notFound(): Response {
  return rpcError(404, -32_001, 'Session not found: start a new one with initialize');
}
