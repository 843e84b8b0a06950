import { randomUUID } from 'node:crypto';
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Principal } from '../definition/context.ts';
import type { ServerDefinition } from '../definition/server.ts';
import { announceChanges } from './announce-changes.ts';
import { buildServer } from './build-server.ts';
import type { Shared } from './connection.ts';
import { rpcError } from './rpc-error.ts';
import { whenSent } from './when-sent.ts';

/** Milliseconds without a request or an open stream after which a session ends: clients rarely say goodbye. */
const IDLE_LIMIT_MS = 30 * 60_000;
const SWEEP_MS = 60_000;

interface Session {
  readonly user: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Answers being sent and streams being held. */
  open: number;
  lastUsed: number;
}

/** Streamable HTTP of the legacy era, with the sessions that elicitation and roots need there. */
export class LegacySessions {
  readonly #definition: ServerDefinition;
  readonly #shared: Shared;
  readonly #sessions = new Map<string, Session>();
  readonly #sweep: NodeJS.Timeout;

  constructor(definition: ServerDefinition, shared: Shared) {
    this.#definition = definition;
    this.#shared = shared;
    this.#sweep = setInterval(() => this.#evictIdle(), SWEEP_MS).unref();
  }

  /** @param body the parsed body of a POST */
  async handle(request: Request, principal: Principal, body: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(body)) return this.#open(request, principal, body);
      return rpcError(
        400,
        -32_000,
        'Bad Request: send initialize first, then the Mcp-Session-Id it answers with',
      );
    }
    const session = this.#sessions.get(id);
    // Somebody else's session is as unknown as one that never was.
    if (session === undefined || session.user !== principal.user) {
      return rpcError(404, -32_001, 'Session not found: start a new one with initialize');
    }
    return this.#exchange(session, request, body);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
    this.#sessions.clear();
  }

  async #open(request: Request, principal: Principal, body: unknown): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
    });
    const session: Session = { user: principal.user, transport, open: 0, lastUsed: Date.now() };
    const server = buildServer(this.#definition, { era: 'legacy', principal }, this.#shared);
    const { changes } = this.#definition;
    if (changes !== undefined) announceChanges(server, changes, 'legacy', this.#shared.log);
    await server.connect(transport);
    const closeServer = transport.onclose;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
      closeServer?.();
    };
    const response = await this.#exchange(session, request, body);
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  async #exchange(session: Session, request: Request, body: unknown): Promise<Response> {
    session.open += 1;
    const release = () => {
      session.open -= 1;
      session.lastUsed = Date.now();
    };
    try {
      const options = body === undefined ? undefined : { parsedBody: body };
      return whenSent(await session.transport.handleRequest(request, options), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  #evictIdle(): void {
    const threshold = Date.now() - IDLE_LIMIT_MS;
    for (const { open, lastUsed, transport } of this.#sessions.values()) {
      if (open === 0 && lastUsed < threshold) {
        transport.close().catch((error: unknown) => this.#shared.log.warn('session not closed', { error }));
      }
    }
  }
}
