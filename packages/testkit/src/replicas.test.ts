import { setTimeout } from 'node:timers/promises';
import { acceptedContent, defineServer, inputRequired, silentLog, toolDefiner } from '@deskside/core';
import { serve, type ServeOptions } from '@deskside/core/serving';
import { connectTransport, firstText } from '@deskside/core/testing';
import {
  type CallToolResult,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { described } from '@deskside/core/testing/described';

const confirmation = z.object({ ok: z.boolean() });
const defineTool = toolDefiner<{ readonly process: string }>();

const book = defineTool({
  ...described('book'),
  input: z.object({ place: z.string() }),
  async run({ place }, { process }, { input }) {
    const answer = acceptedContent(input.responses, 'confirm', confirmation);
    if (answer === undefined) {
      const confirm = inputRequired.elicit({ message: `Book ${place}?`, requestedSchema: confirmation });
      const requestState = await input.seal({ askedBy: process });
      return inputRequired({ inputRequests: { confirm }, requestState });
    }
    return `booked ${place} by ${process}: ${JSON.stringify(input.state())}`;
  },
});
const who = defineTool({
  ...described('who'),
  run: (_, { process }, { caller }) => `${process} ${caller.session}`,
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const token = 'a-token-of-this-test';

/** One of several processes that serve the same. */
async function start(process: string, options: Partial<ServeOptions> = {}, port = 0) {
  const definition = defineServer({
    name: 'replica',
    version: '1.0.0',
    deps: { process },
    tools: [book, who],
  });
  const serving = await serve(definition, {
    log: silentLog,
    ownsProcess: false,
    http: { port, auth: { token } },
    ...options,
  });
  closing.push(() => serving.close());
  return { close: () => serving.close(), url: new URL(serving.url ?? '') };
}

/** The time that a process takes to start. Meanwhile the client learns that its connections are closed. */
const restarting = () => setTimeout(200);

const requestInit = { headers: { Authorization: `Bearer ${token}` } };

function sends(init: { readonly body?: unknown } | undefined, text: string): boolean {
  return typeof init?.body === 'string' && init.body.includes(text);
}

/** Calls `book`. The answer to its question goes to the second process. */
async function bookAcross(first: URL, second: URL): Promise<CallToolResult> {
  const transport = new ModernHttp(first, {
    requestInit,
    fetch: (url, init) => fetch(sends(init, '"requestState"') ? second : url, init),
  });
  await using peer = await connectTransport(transport, { capabilities: { elicitation: { form: {} } } });
  peer.client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { ok: true } }));
  return await peer.callTool('book', { place: 'table 4' });
}

test('an elicitation that begins at one process ends at another with the same token', async () => {
  const [one, two] = [await start('one'), await start('two')];
  expect(firstText(await bookAcross(one.url, two.url))).toBe('booked table 4 by two: {"askedBy":"one"}');
});

test('an elicitation that begins at one process is rejected by another with another secret', async () => {
  const [one, two] = [
    await start('one', { secret: 'the first secret' }),
    await start('two', { secret: 'the second' }),
  ];
  await expect(bookAcross(one.url, two.url)).rejects.toThrow('Invalid or expired requestState');
});

test('a session continues if its token was replaced and the secret was not', async () => {
  const secret = 'the secret of this test';
  const before = await start('before', { secret });
  let bearer = token;
  const client = new LegacyClient({ name: 'one', version: '1.0.0' });
  const transport = new LegacyHttp(before.url, {
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set('Authorization', `Bearer ${bearer}`);
      return fetch(url, { ...init, headers });
    },
  });
  await client.connect(transport);
  closing.push(() => client.close());
  await before.close();
  await restarting();
  bearer = 'another-token-of-this-test';
  const port = Number(before.url.port);
  await start('after', { secret, http: { port, auth: { token: bearer } } });
  const answer = await client.callTool({ name: 'who', arguments: {} });
  expect(firstText(answer as unknown as CallToolResult)).toMatch(/^after http\//);
});
