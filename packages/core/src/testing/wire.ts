import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import type { Era } from '../definition/context.ts';
import type { ServerDefinition } from '../definition/server.ts';
import { type Log, silentLog } from '../log.ts';
import { serve } from '../serving/serve.ts';

/** An answer in its wire format. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface WireClient extends AsyncDisposable {
  readonly era: Era;
  /** Sends a request without any check of a client library. */
  ask(method: string, params?: Record<string, unknown>): Promise<Answer>;
  /** Sends a message that has no answer. */
  notify(method: string, params: Record<string, unknown>): Promise<void>;
  /** Answers a request of the server, on stdio. Resolves to the server's next message. */
  respond(id: unknown, result: Record<string, unknown>): Promise<Answer>;
  /** The result of `initialize`, or of `server/discover`. */
  greeting(): Promise<Readonly<Record<string, unknown>>>;
}

/** All ways to reach a server. */
export const WIRE_LEGS = [
  { leg: 'legacy over stdio', era: 'legacy', over: 'stdio', stateless: false },
  { leg: 'modern over stdio', era: 'modern', over: 'stdio', stateless: false },
  { leg: 'legacy over HTTP', era: 'legacy', over: 'http', stateless: false },
  { leg: 'legacy over stateless HTTP', era: 'legacy', over: 'http', stateless: true },
  { leg: 'modern over HTTP', era: 'modern', over: 'http', stateless: false },
] as const;

export type WireLeg = Pick<(typeof WIRE_LEGS)[number], 'era' | 'over' | 'stateless'>;

/** What a client says about itself. */
export interface WireHello {
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** The modern era does not require it. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
}

const CAPABILITIES = { elicitation: {} };

function helloOf({ capabilities = CAPABILITIES, clientInfo = { name: 'test', version: '1' } }: WireHello) {
  return { protocolVersion: '2025-11-25', capabilities, clientInfo };
}

function envelopeOf({ capabilities = CAPABILITIES, clientInfo }: WireHello): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...(clientInfo === undefined ? {} : { 'io.modelcontextprotocol/clientInfo': clientInfo }),
  };
}

/** Serves a definition and connects to it. */
export async function connectWire(
  definition: ServerDefinition,
  { era, over, stateless }: WireLeg,
  log: Log = silentLog,
  says: WireHello = {},
): Promise<WireClient> {
  const envelope = era === 'modern' ? envelopeOf(says) : undefined;
  const { close, ...client } =
    over === 'stdio'
      ? await overStdio(definition, envelope, log)
      : await overHttp(definition, envelope, stateless, log);
  const hello = era === 'legacy' ? await client.ask('initialize', helloOf(says)) : undefined;
  return {
    era,
    ...client,
    greeting: async () => (hello ?? (await client.ask('server/discover'))).result ?? {},
    [Symbol.asyncDispose]: close,
  };
}

interface Message {
  readonly jsonrpc: string;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** How a client of the legacy era begins. */
export const INITIALIZE = request(undefined, 'initialize', helloOf({ capabilities: {} }));

/** Of each request of the modern era. */
type Envelope = Record<string, unknown> | undefined;

function request(envelope: Envelope, method: string, params?: Record<string, unknown>) {
  const { _meta: meta } = params ?? {};
  const full = envelope === undefined ? params : { ...params, _meta: Object.assign({}, meta, envelope) };
  return { jsonrpc: '2.0', id: 1, method, ...(full === undefined ? {} : { params: full }) };
}

async function overStdio(definition: ServerDefinition, envelope: Envelope, log: Log) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const serving = await serve(definition, { ownsProcess: false, log, streams: { input, output } });
  const ask: WireClient['ask'] = async (method, params) => {
    input.write(`${JSON.stringify(request(envelope, method, params))}\n`);
    return JSON.parse((await lines.next()).value ?? 'null');
  };
  const notify: WireClient['notify'] = async (method, params) => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
  };
  const respond: WireClient['respond'] = async (id, result) => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
    return JSON.parse((await lines.next()).value ?? 'null');
  };
  return { ask, notify, respond, close: () => serving.close() };
}

function respond(): Promise<never> {
  return Promise.reject(new Error('The server asks on stdio only.'));
}

async function overHttp(definition: ServerDefinition, envelope: Envelope, stateless: boolean, log: Log) {
  const http = { port: 0, stateless, auth: 'none' } as const;
  const serving = await serve(definition, { ownsProcess: false, log, http });
  const session: Record<string, string> = {};
  const post = (message: Message, params?: Record<string, unknown>) => {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(envelope === undefined ? session : modernHeaders(message.method, params)),
    };
    return fetch(serving.url ?? '', { method: 'POST', headers, body: JSON.stringify(message) });
  };
  const ask: WireClient['ask'] = async (method, params) => {
    const response = await post(request(envelope, method, params), params);
    const id = response.headers.get('mcp-session-id');
    if (id !== null) session['Mcp-Session-Id'] = id;
    const [answer = ''] = /\{.*\}/.exec(await response.text()) ?? [];
    return JSON.parse(answer);
  };
  const notify = async (method: string, params: Record<string, unknown>) => {
    await post({ jsonrpc: '2.0', method, params });
  };
  return { ask, notify, respond, close: () => serving.close() };
}

function modernHeaders(method: string, params: Record<string, unknown> = {}): Record<string, string> {
  const name = params['name'] ?? params['uri'];
  return {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
  };
}
