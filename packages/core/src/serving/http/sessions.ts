import { type InitializeRequest, isInitializeRequest } from '@modelcontextprotocol/server';
import { systemClock } from '../../base/clock.ts';
import { isObject } from '../../base/values.ts';
import type { Principal } from '../../definition/context.ts';
import type { ServerDefinition } from '../../definition/server.ts';
import { authInfoOf, type Shared } from '../protocol/connection.ts';
import { watchRoots } from '../protocol/caller.ts';
import { createServer, forwardChanges, listChanges } from '../protocol/protocol-server.ts';
import { digestOf, sealWith } from '../protocol/seal.ts';
import { rpcError } from './responses.ts';
import { type SessionClaim, SessionIds } from './session-id.ts';
import { SessionTransport, whenAnswered } from './session-transport.ts';

/** Without a request or a stream for so long, a session leaves memory. */
const IDLE_MS = 30 * 60_000;
/** Ids of ended sessions that are remembered, so that they are refused. */
const MAX_ENDED_SESSIONS = 10_000;

const NO_SESSION = 'Bad Request: send initialize first, then the Mcp-Session-Id of its response';

interface Session {
  readonly id: string;
  readonly claim: SessionClaim;
  readonly user: string;
  readonly transport: SessionTransport;
  /** Resolves when requests can be handled. */
  readonly ready: Promise<void>;
  readonly askRoots: () => void;
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
  /** The idlest first. */
  readonly #sessions = new Map<string, Session>();
  /** Keys of sessions that their client has ended, the oldest first. */
  readonly #ended = new Set<string>();

  constructor(definition: ServerDefinition, shared: Shared) {
    this.#definition = definition;
    this.#shared = shared;
    this.#ids = new SessionIds(sealWith(shared.secret, 'session id'));
  }

  /** Sessions in memory. */
  get size(): number {
    return this.#sessions.size;
  }

  /** @param body the parsed body of a POST */
  async handle(request: Request, principal: Principal, body: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (isObject(body) && body['method'] === 'initialize' && isInitializeRequest(body))
      return this.#start(request, principal, body);
    if (id === null) return rpcError(400, -32_000, NO_SESSION);
    const held = this.#sessions.get(id);
    const claim = held?.claim ?? this.#ids.open(id);
    // The session of another user is answered like an unknown one.
    const isOwn = held?.user === principal.user || claim?.user === digestOf(principal.user);
    if (claim === undefined || !isOwn || claim.expiresAt < Date.now() || this.#ended.has(claim.key))
      return notFound();
    const session = held ?? this.#continue(id, claim, principal);
    return this.#exchange(session, request, principal, body);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
    this.#sessions.clear();
  }

  async #start(request: Request, principal: Principal, body: InitializeRequest): Promise<Response> {
    const id = this.#ids.create(principal.user, body.params);
    const claim = this.#ids.open(id);
    if (claim === undefined) throw new Error('A new session id cannot be opened.');
    return this.#exchange(this.#open(id, claim, principal), request, principal, body);
  }

  /** Repeats the client's own handshake on a new server object. */
  #continue(id: string, claim: SessionClaim, principal: Principal): Session {
    return this.#open(id, claim, principal, async (transport) => {
      const handshake = [
        { jsonrpc: '2.0', id: 0, method: 'initialize', params: claim.initialize },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
      ];
      const authInfo = authInfoOf(principal);
      for (const message of handshake) await transport.receive(message, { authInfo });
      transport.sendOnFirstStream(listChanges(this.#definition));
      this.#shared.log.info('session continued', { session: claim.key });
    });
  }

  #open(
    id: string,
    claim: SessionClaim,
    principal: Principal,
    begin?: (transport: SessionTransport) => Promise<void>,
  ): Session {
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
    const session: Session = {
      id,
      claim,
      user: principal.user,
      transport,
      askRoots: roots.connect(server),
      ready: server.connect(transport).then(() => begin?.(transport)),
      busy: 0,
      streams: 0,
      usedAtMs: systemClock.elapsedMs(),
    };
    this.#sessions.set(id, session);
    return session;
  }

  async #exchange(
    session: Session,
    request: Request,
    principal: Principal,
    body: unknown,
  ): Promise<Response> {
    session.busy += 1;
    try {
      await session.ready;
      const response = await session.transport.handle(request, authInfoOf(principal), body, () => {
        session.streams -= 1;
        this.#used(session);
      });
      if (request.method === 'DELETE' && response.ok) this.#remember(session.claim);
      if (request.method !== 'GET' || !response.ok) return response;
      // The client answers on this stream only, so no earlier question would reach it.
      session.askRoots();
      session.streams += 1;
      return response;
    } finally {
      whenAnswered(request, () => {
        session.busy -= 1;
        this.#used(session);
      });
    }
  }

  #remember({ key }: SessionClaim): void {
    this.#ended.add(key);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED_SESSIONS && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** A session with a call in progress stays. One with an open stream is evicted after those without. */
  #used(session: Session): void {
    session.usedAtMs = systemClock.elapsedMs();
    if (this.#sessions.delete(session.id)) this.#sessions.set(session.id, session);
    for (const each of this.#sessions.values()) {
      if (session.usedAtMs - each.usedAtMs < IDLE_MS) break;
      if (each.busy + each.streams === 0) this.#evict(each);
    }
    const { sessionsPerPrincipal: limit } = this.#shared.limits;
    if (this.#sessions.size <= limit) return;
    const own = [...this.#sessions.values()].filter(({ claim }) => claim.user === session.claim.user);
    const idle = own.filter(({ busy }) => busy === 0).toSorted((a, b) => a.streams - b.streams);
    for (const each of idle.slice(0, Math.max(own.length - limit, 0))) this.#evict(each);
  }

  #evict({ id, transport }: Session): void {
    this.#sessions.delete(id);
    void transport.close();
  }
}

function notFound(): Response {
  return rpcError(404, -32_001, 'Session not found: start a new one with initialize');
}
