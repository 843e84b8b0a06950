import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import * as z from 'zod';
import { Agent, type AgentEvent } from './agent.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '4321' }, open: { type: 'boolean', default: true } },
  allowNegative: true,
});
const agent = await Agent.start();
/** The conversation so far. A reloaded page reads it as history. */
const history: AgentEvent[] = [];

const { outputFiles } = await build({
  entryPoints: [join(import.meta.dirname, 'page.ts')],
  bundle: true,
  format: 'esm',
  platform: 'browser',
  write: false,
});
const script = outputFiles[0]?.text ?? '';

const server = createServer((request, response) => {
  void answer(request, response).catch((error: unknown) => {
    response.destroy(error instanceof Error ? error : undefined);
  });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  // A page of another host name that leads to this machine could read the answers.
  if (!/^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(request.headers.host ?? '')) {
    response.writeHead(403).end();
  } else if (request.method === 'POST' && request.headers['content-type'] !== 'application/json') {
    response.writeHead(415).end();
  } else if (request.method === 'POST' && pathname === '/answer') {
    const { message } = z.object({ message: z.string() }).parse(JSON.parse(await text(request)));
    history.push({ type: 'USER', message });
    await stream(agent.answer(message), response);
  } else if (request.method === 'POST' && pathname === '/call') {
    await stream(
      agent.call(z.record(z.string(), z.unknown()).parse(JSON.parse(await text(request)))),
      response,
    );
  } else if (pathname === '/history') {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(history));
  } else if (pathname === '/page.js') {
    response.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8' }).end(script);
  } else if (pathname === '/') {
    const page = await readFile(join(import.meta.dirname, 'page.html'));
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
  } else {
    response.writeHead(404).end();
  }
}

/** AG-UI over server-sent events. */
async function stream(events: AsyncIterable<AgentEvent>, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  for await (const event of events) {
    history.push(event);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

server.listen(Number(values.port), '127.0.0.1', () => {
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : values.port}/`;
  process.stdout.write(`The demo is at ${url}\n`);
  if (values.open) openBrowser(url);
});

function openBrowser(url: string): void {
  const command = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  spawn(command, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
