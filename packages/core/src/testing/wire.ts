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

/** A POST of MCP. */
export function postOf(message: object | string, headers: Readonly<Record<string, string>> = {}) {
  return {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  };
}

type Send = (init: ReturnType<typeof postOf>) => Promise<Response>;

/** Begins a session of the legacy era. @returns the headers of its later requests */
export async function beginSession(send: Send, hello: object = INITIALIZE): Promise<Record<string, string>> {
  const response = await send(postOf(hello));
  await response.text();
  return { 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' };
}

/** A call of a tool, in the legacy era. */
export function toolCall(id: number | string, name: string, args: object = {}) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** A call of a tool that asks for its progress, as a client of the era sends it. */
export function callPost(era: Era, name: string, args: object = {}, headers: Record<string, string> = {}) {
  const params = {
    name,
    arguments: args,
    _meta: { progressToken: 1, ...(era === 'modern' ? envelopeOf({}) : {}) },
  };
  const own = era === 'modern' ? modernHeaders('tools/call', params) : {};
  return postOf({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { ...own, ...headers });
}

/** Of each request of the modern era. */
type Envelope = Record<string, unknown> | undefined;

function request(envelope: Envelope, method: string, params?: Record<string, unknown>) {
  const { _meta: meta } = params ?? {};
  const full = envelope === undefined ? params : { ...params, _meta: Object.assign({}, meta, envelope) };
  return { jsonrpc: '2.0', id: 1, method, ...(full === undefined ? {} : { params: full }) };
}

/** The side of a client of a pair of streams. */
export function lineClient() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  return {
    streams: { input, output },
    /** @param messages in one write; a text is a line as it is */
    send: (...messages: readonly (object | string)[]) => {
      const texts = messages.map((message) =>
        typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message }),
      );
      input.write(texts.map((text) => `${text}\n`).join(''));
    },
    /** The next line that the server writes, parsed. */
    next: async (): Promise<Answer> => JSON.parse((await lines.next()).value ?? 'null'),
  };
}

async function overStdio(definition: ServerDefinition, envelope: Envelope, log: Log) {
  const { streams, send, next } = lineClient();
  const serving = await serve(definition, { ownsProcess: false, log, streams });
  const ask: WireClient['ask'] = (method, params) => {
    send(request(envelope, method, params));
    return next();
  };
  const notify: WireClient['notify'] = async (method, params) => send({ method, params });
  const respond: WireClient['respond'] = (id, result) => {
    send({ id, result });
    return next();
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
    const headers = envelope === undefined ? session : modernHeaders(message.method, params);
    return fetch(serving.url ?? '', postOf(message, headers));
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
