import type { IncomingMessage, ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { json as jsonIn } from 'node:stream/consumers';
import { listen } from '@deskside/testkit';
import { onTestFinished } from 'vitest';
import { ChildTransport } from '../external/child-transport.ts';
import { OrphanGuard } from '../external/orphan-guard.ts';
import { type OpenTransport, systemTransports } from '../external/transport.ts';
import { ScriptedChild } from './scripted-child.ts';
import type { Incoming } from './scripted.ts';

/** What a server sends in answer to one message: a line on stdout, or a response over HTTP. */
export interface Reply {
  /** Text as it is sent. Default: nothing. */
  readonly body?: string;
  /** Default: 200. */
  readonly status?: number;
  /** Default: JSON. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply, no reply at all, the end of the program or of the connection, or what a test does with a response over HTTP. */
export type Sent = Reply | 'silence' | 'end' | ((response: ServerResponse) => void);

/** Undefined: the ordinary answer. */
export type Oddity = (message: Incoming, server: OddServer) => Sent | undefined;

export const json = (message: unknown): Reply => ({ body: JSON.stringify(message) });
export const answer = ({ id }: Incoming, result: unknown): Reply => json({ jsonrpc: '2.0', id, result });
export const failure = ({ id }: Incoming, error: unknown): Reply => json({ jsonrpc: '2.0', id, error });

/** A server of the legacy era in this process, without a library, that is odd as its test says. */
export class OddServer {
  readonly #oddity: Oddity;
  /** Methods as they came. */
  readonly received: string[] = [];
  /** Sessions over HTTP that it knows. */
  readonly #sessions = new Set<string>();
  #count = 0;
  /** The answer to a request of a session that it does not know. Default: 404. */
  refusal: (message: Incoming) => Sent = () => ({ status: 404 });
  /** The answer to DELETE. */
  goodbye: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    void response.writeHead(200).end();
  /** The answer to GET. Default: 405. */
  stream: (response: ServerResponse) => void = (response) => void response.writeHead(405).end();

  constructor(oddity: Oddity = () => undefined) {
    this.#oddity = oddity;
  }

  /** It starts anew, without its sessions. */
  restart(): void {
    this.#sessions.clear();
  }

  times(method: string): number {
    return this.received.filter((each) => each === method).length;
  }

  #sent(message: Incoming): Sent {
    this.received.push(message.method ?? '');
    return this.#oddity(message, this) ?? this.ordinary(message);
  }

  /** What a server without an oddity sends. */
  ordinary(message: Incoming): Reply {
    const { id, method, params } = message;
    if (id === undefined) return { status: 202 };
    switch (method) {
      case 'initialize': {
        const capabilities = { tools: {} };
        const serverInfo = { name: 'odd', version: '1' };
        return answer(message, { protocolVersion: '2025-11-25', capabilities, serverInfo });
      }
      case 'tools/list':
        return answer(message, { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
      case 'tools/call':
        return answer(message, { content: [{ type: 'text', text: `"${String(params?.['name'])}"` }] });
      default:
        return failure(message, { code: -32_601, message: 'Method not found' });
    }
  }

  /** Each start is a program of this server. */
  readonly openProgram: OpenTransport = (_, options) => {
    const child = new ScriptedChild();
    const transport = new ChildTransport({
      ...options,
      command: 'odd',
      args: [],
      env: {},
      guard: new OrphanGuard(),
      startChild: () => {
        queueMicrotask(() => child.emit('spawn'));
        return child;
      },
    });
    child.stdin.once('end', () => child.end(0));
    createInterface({ input: child.stdin }).on('line', (line) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON-RPC message
      const sent = this.#sent(JSON.parse(line) as Incoming);
      if (sent === 'end') child.end(1);
      else if (typeof sent === 'object' && sent.body !== undefined) child.stdout.write(`${sent.body}\n`);
    });
    return transport;
  };

  /** @returns its URL until the end of the test */
  async listen(): Promise<string> {
    const server = await listen((request, response) => void this.#answer(request, response));
    onTestFinished(() => server[Symbol.asyncDispose]());
    return `${server.origin}/mcp`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return this.stream(response);
    if (request.method === 'DELETE') return this.goodbye(request, response);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON-RPC message
    this.#respond((await jsonIn(request)) as Incoming, request.headers['mcp-session-id'], response);
  }

  #respond(message: Incoming, session: unknown, response: ServerResponse): void {
    const isKnown = typeof session !== 'string' || this.#sessions.has(session);
    if (!isKnown) this.received.push(`${message.method ?? ''} refused`);
    const sent = isKnown ? this.#sent(message) : this.refusal(message);
    if (sent === 'silence') return;
    if (sent === 'end') return void response.destroy();
    if (typeof sent === 'function') return sent(response);
    const { status = 200, type = 'application/json', headers, body } = sent;
    const own: Record<string, string> = {
      ...(body === undefined ? {} : { 'content-type': type }),
      ...headers,
    };
    if (message.method === 'initialize') {
      this.#count += 1;
      own['mcp-session-id'] = `s${this.#count}`;
      this.#sessions.add(`s${this.#count}`);
    }
    response.writeHead(status, own).end(body);
  }
}

export const TRANSPORTS = ['stdio', 'http'] as const;

/** How the desk reaches an odd server. */
export async function reached(server: OddServer, transport: (typeof TRANSPORTS)[number]) {
  return transport === 'stdio'
    ? { address: { command: 'odd' }, openTransport: server.openProgram }
    : { address: { url: await server.listen() }, openTransport: systemTransports({}) };
}
