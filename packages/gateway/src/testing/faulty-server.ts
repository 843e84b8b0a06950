/**
 * A server that answers well until the file of its fault names an input and a fault: `tools/call flood`.
 * `node faulty-server.ts FILE` serves stdio, `node faulty-server.ts FILE http` HTTP, and prints the URL.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

type Json = Readonly<Record<string, unknown>>;

interface Incoming {
  readonly id?: string | number;
  readonly method?: string;
}

/** Where an answer goes: a pipe, or the body of one HTTP response. */
interface Exchange {
  readonly id: string | number;
  readonly method: string;
  readonly out: Writable;
  /** @param line JSON-RPC, or something else */
  line(line: string): boolean;
  end(): void;
}

const EQUAL_ITEMS = 10_000;
const HUGE = 'x'.repeat(30_000_000);
const LONG = 'x'.repeat(64_000);
const nested = '['.repeat(200_000) + ']'.repeat(200_000);

const message = (value: Json) => JSON.stringify({ jsonrpc: '2.0', ...value });

/** Writes as fast as it is read, for ever. */
function flood({ out, line }: Exchange, text: (count: number) => string): void {
  let count = 0;
  const write = () => {
    while (!out.destroyed && line(text((count += 1))));
    if (!out.destroyed) out.once('drain', write);
  };
  write();
}

const notification = (method: string, params: Json) => () => message({ method, params });
const question = (method: string, params: Json) => (count: number) =>
  message({ id: `q${count}`, method, params });

const items = <Item>(item: Item) => Array.from({ length: EQUAL_ITEMS }, () => item);

/** What a server does instead of its answer. */
export const FAULTS = {
  none: (exchange: Exchange) => answer(exchange),
  mute: () => undefined,
  'endless answer'({ out, id }: Exchange) {
    out.write(`${eventStart(out)}{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"x":"`);
    const write = () => {
      while (!out.destroyed && out.write(LONG));
      if (!out.destroyed) out.once('drain', write);
    };
    write();
  },
  'flood of log messages': (exchange: Exchange) =>
    flood(exchange, notification('notifications/message', { level: 'error', data: 'x'.repeat(200) })),
  'flood of changes': (exchange: Exchange) =>
    flood(exchange, notification('notifications/tools/list_changed', {})),
  'flood of updates': (exchange: Exchange) =>
    flood(exchange, notification('notifications/resources/updated', { uri: 'faulty://a' })),
  'flood of questions': (exchange: Exchange) =>
    flood(
      exchange,
      question('elicitation/create', { message: 'x', requestedSchema: { type: 'object', properties: {} } }),
    ),
  'flood of other lines': (exchange: Exchange) => flood(exchange, () => 'no JSON'),
  'flood of stderr'(exchange: Exchange) {
    const write = () => {
      while (process.stderr.write(`${'stderr '.repeat(50)}\n`));
      process.stderr.once('drain', write);
    };
    write();
    answer(exchange);
  },
  deep: ({ id, line }: Exchange) =>
    line(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"structuredContent":{"x":${nested}}}}`),
  huge: ({ id, line }: Exchange) =>
    line(message({ id, result: { content: [{ type: 'text', text: HUGE }] } })),
  malformed: ({ id, line }: Exchange) =>
    line(message({ id, result: { tools: 7, resources: [null], prompts: {}, content: 'x', contents: 3 } })),
  'equal items'({ id, line }: Exchange) {
    const result = {
      tools: items({ name: 'call', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }),
      resources: items({ name: 'a', uri: 'faulty://a' }),
      prompts: items({ name: 'p' }),
      content: items({ type: 'text', text: 'x' }),
      contents: items({ uri: 'faulty://a', text: 'x' }),
    };
    line(message({ id, result }));
  },
  'names against patterns'({ id, line }: Exchange) {
    const name = '_delete_'.repeat(20_000);
    const pattern = { type: 'string', pattern: '^(a+)+$' };
    const inputSchema = { type: 'object', properties: { a: pattern } };
    const result = {
      tools: [{ name, inputSchema }],
      resources: [{ name, uri: `faulty://${'{a}'.repeat(1000)}` }],
      prompts: [{ name }],
      content: [{ type: 'text', text: `${'a'.repeat(50_000)}!` }],
      contents: [{ uri: 'faulty://a', text: name }],
    };
    line(message({ id, result }));
  },
} satisfies Readonly<Record<string, (exchange: Exchange) => unknown>>;

export type Fault = keyof typeof FAULTS;

function eventStart(out: Writable): string {
  return out === process.stdout ? '' : 'data: ';
}

const RESULTS: Readonly<Record<string, Json>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} },
    serverInfo: { name: 'faulty', version: '1' },
  },
  'tools/list': {
    tools: [{ name: 'call', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }],
  },
  'resources/list': { resources: [{ name: 'a', uri: 'faulty://a' }] },
  'resources/templates/list': { resourceTemplates: [] },
  'prompts/list': { prompts: [{ name: 'p' }] },
  'prompts/get': { messages: [] },
  'tools/call': { content: [{ type: 'text', text: 'hi' }] },
  'resources/read': { contents: [{ uri: 'faulty://a', text: 'a' }] },
};

function answer({ id, method, line }: Exchange): void {
  line(message({ id, result: RESULTS[method] ?? {} }));
}

function respond(file: string, exchange: Exchange): void {
  const [input, ...fault] = (existsSync(file) ? readFileSync(file, 'utf8') : '').split(' ');
  const name = fault.join(' ');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test writes names of faults
  const act = input === exchange.method ? FAULTS[name as Fault] : answer;
  act(exchange);
  // A body ends with its answer.
  if (act === answer || !/flood|endless|mute/.test(name)) exchange.end();
}

function serveStdio(file: string): void {
  createInterface({ input: process.stdin }).on('line', (text) => {
    const { id, method } = JSON.parse(text) as Incoming;
    if (id === undefined || method === undefined) return;
    respond(file, {
      id,
      method,
      out: process.stdout,
      line: (line) => process.stdout.write(`${line}\n`),
      end: () => undefined,
    });
  });
  setInterval(() => undefined, 60_000);
}

function serveHttp(file: string): void {
  const server = createServer((request, response: ServerResponse) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { id, method } = JSON.parse(body) as Incoming;
      if (id === undefined || method === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const line = (text: string) => response.write(`data: ${text}\n\n`);
      respond(file, { id, method, out: response, line, end: () => response.end() });
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , file = '', transport] = process.argv;
  if (transport === 'http') serveHttp(file);
  else serveStdio(file);
}
