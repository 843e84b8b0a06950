import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Era } from '@deskside/core';
import {
  type Capabilities,
  cleanEnvironment,
  connectHttp,
  connectStdio,
  firstText,
  LEGS,
  type Peer,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ElicitRequestSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';

const TOKEN = 'token-of-the-examples';

/** A running server: its process for stdio clients, or its URL. */
interface Running {
  readonly connect: (era: Era, capabilities?: Capabilities) => Promise<Peer>;
  /** Arguments of the Inspector's command line that select the server. */
  readonly target: readonly string[];
}

/** Over HTTP one process serves all clients of a test. Over stdio each client starts its own. */
async function start(
  name: string,
  over: 'stdio' | 'http',
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const program = {
    command: process.execPath,
    args: [join(import.meta.dirname, `${name}.ts`)],
    env: { ...cleanEnvironment(temporaryFolder()), ...env, DESKSIDE_TOKEN: TOKEN },
  };
  if (over === 'stdio') {
    const variables = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
    return {
      connect: (era, capabilities = {}) => connectStdio(program, { era, capabilities }),
      target: [...variables, program.command, ...program.args],
    };
  }
  const running = startProgram({ ...program, args: [...program.args, '--http', '--port', '0'] });
  onTestFinished(() => running[Symbol.asyncDispose]());
  const [url] = await running.printed(/http:\/\/\S+\/mcp/);
  return {
    connect: (era, capabilities = {}) => connectHttp(url, { era, capabilities, token: TOKEN }),
    target: [url, '--transport', 'http', '--header', `Authorization: Bearer ${TOKEN}`],
  };
}

const inspectorFolder = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'),
);
const inspector = join(inspectorFolder, 'clients/launcher/build/index.js');
/** The Inspector's exit code for a result with `isError`. */
const TOOL_ERROR = 5;

/** One request of the Inspector's command line. */
async function inspected(
  { target }: Running,
  method: string,
  args: readonly string[],
  exitCode: number,
): Promise<unknown> {
  await using running = startProgram({
    command: process.execPath,
    args: [inspector, '--cli', ...target, '--method', method, ...args, '--format', 'json', '-q'],
    env: cleanEnvironment(temporaryFolder()),
  });
  running.child.stdin.end();
  expect({ code: await running.exited, stderr: running.stderr() }).toMatchObject({ code: exitCode });
  return JSON.parse(running.stdout());
}

interface WeatherApi extends AsyncDisposable {
  readonly url: string;
  /** Cities that were asked for; those that never answer are released by the client. */
  readonly asked: string[];
  readonly aborted: string[];
}

const CELSIUS: Readonly<Record<string, number>> = { Oslo: -3, Rome: 14 };

/**
 * Knows Oslo and Rome. Never answers for Atlantis.
 *
 * @param romeMayAnswer Rome is not answered before
 */
async function weatherApi(romeMayAnswer?: Promise<void>): Promise<WeatherApi> {
  const [asked, aborted]: [string[], string[]] = [[], []];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const city = decodeURIComponent((request.url ?? '').slice('/v1/'.length));
    asked.push(city);
    response.on('close', () => {
      if (!response.writableEnded) aborted.push(city);
    });
    if (city === 'Atlantis') return;
    if (city === 'Rome') await romeMayAnswer;
    const celsius = CELSIUS[city];
    response.writeHead(celsius === undefined ? 404 : 200).end(JSON.stringify({ city, celsius }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    aborted,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Calls a tool with a progress handler and a signal, which the two clients take in different places. */
function callWith(
  { client }: Peer,
  params: { readonly name: string; readonly arguments: Record<string, unknown> },
  options: { readonly onprogress?: (progress: unknown) => void; readonly signal?: AbortSignal },
) {
  return client instanceof LegacyClient
    ? client.callTool(params, undefined, options)
    : client.callTool(params, options);
}

describe.each(LEGS)('in the $era era over $over', ({ era, over }) => {
  test('weather reports progress, cancels what waits, and explains an unknown city', async () => {
    const firstProgress = Promise.withResolvers<void>();
    await using api = await weatherApi(firstProgress.promise);
    const running = await start('weather', over, { WEATHER_API: api.url });
    await using peer = await running.connect(era);
    const received: unknown[] = [];
    const params = { name: 'get_temperatures', arguments: { cities: ['Oslo', 'Rome'] } };
    const answer = await callWith(peer, params, {
      onprogress(progress) {
        received.push(progress);
        firstProgress.resolve();
      },
    });
    expect(answer.structuredContent).toEqual({
      temperatures: [
        { city: 'Oslo', celsius: -3 },
        { city: 'Rome', celsius: 14 },
      ],
    });
    // The SDK's clients drop progress that arrives in one chunk with the answer, so the last one may be missing.
    expect(received[0]).toMatchObject({ progress: 1, total: 2, message: 'Oslo' });

    const cancelling = new AbortController();
    const waiting = { name: 'get_temperatures', arguments: { cities: ['Atlantis', 'Rome'] } };
    const call = callWith(peer, waiting, { signal: cancelling.signal });
    await expect.poll(() => api.asked).toContain('Atlantis');
    cancelling.abort(new Error('no longer needed'));
    await expect(call).rejects.toThrow('no longer needed');
    await expect.poll(() => api.aborted).toEqual(['Atlantis']);
    expect(api.asked).toEqual(['Oslo', 'Rome', 'Atlantis']);

    const unknown = await peer.callTool('get_temperatures', { cities: ['Nowhere'] });
    expect(JSON.parse(firstText(unknown))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('notes completes names, lists and reads notes, and notifies subscribers', async () => {
    const running = await start('notes', over);
    await using peer = await running.connect(era);
    const received: string[] = [];
    await subscribe(peer, 'note://shopping', (what) => received.push(what));
    const write = async (name: string, text: string) =>
      (await peer.callTool('write_note', { name, text })).structuredContent;
    expect(await write('shopping', 'milk')).toEqual({ uri: 'note://shopping', status: 'created' });
    await expect.poll(() => received).toEqual(['list']);
    await write('a b', 'other');
    await write('a b', 'changed');
    await write('shopping', 'milk, bread');
    await expect.poll(() => received).toContain('note://shopping');
    expect(received).not.toContain('note://a%20b');

    const { resources } = await peer.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['note://a%20b', 'note://shopping']);
    expect((await peer.readResource('note://shopping')).contents).toMatchObject([{ text: 'milk, bread' }]);
    for (const ref of [
      { type: 'ref/resource', uri: 'note://{name}' },
      { type: 'ref/prompt', name: 'summarize' },
    ] as const) {
      const { completion } = await peer.client.complete({ ref, argument: { name: 'name', value: 'sh' } });
      expect(completion.values).toEqual(['shopping']);
    }
    expect(JSON.stringify(await peer.getPrompt('summarize', { name: 'shopping' }))).toContain('milk, bread');
    expect(firstText(await peer.callTool('delete_note', { name: 'shopping' }))).toBe('Deleted shopping.');
    await expect(peer.readResource('note://shopping')).rejects.toThrow('Resource not found');
  });

  test('booking asks twice, books what was confirmed, and books nothing else', async () => {
    const running = await start('booking', over);
    await using peer = await running.connect(era, { elicitation: { form: {} } });
    const asked: string[] = [];
    const answers: Answer[] = [
      { action: 'accept', content: { guests: 2, time: 'later' } },
      { action: 'accept', content: { guests: 2, time: '19:30' } },
      { action: 'accept', content: { confirm: true } },
      { action: 'accept', content: { guests: 4, time: '20:00' } },
      { action: 'accept', content: { confirm: false } },
      { action: 'decline' },
    ];
    answerForms(peer, (message) => {
      asked.push(message);
      return answers.shift() ?? { action: 'cancel' };
    });
    const book = async () => (await peer.callTool('book_table', { restaurant: 'Roma' })).structuredContent;
    expect(await book()).toEqual({ status: 'booked', table: 1, guests: 2, time: '19:30' });
    expect(await book()).toEqual({ status: 'cancelled' });
    expect(await book()).toEqual({ status: 'cancelled' });
    expect(asked).toEqual([
      'When, and how many, at Roma?',
      'When, and how many, at Roma?',
      'Table 1 at Roma, 2 guests, 19:30?',
      'When, and how many, at Roma?',
      'Table 2 at Roma, 4 guests, 20:00?',
      'When, and how many, at Roma?',
    ]);
    expect(JSON.parse(firstText(await peer.callTool('list_bookings')))).toEqual([
      { restaurant: 'Roma', table: 1, guests: 2, time: '19:30' },
    ]);
  });
});

type Answer =
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean> }
  | { readonly action: 'decline' | 'cancel' };

function answerForms({ client }: Peer, answer: (message: string) => Answer): void {
  if (client instanceof LegacyClient) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ ...answer(params.message) }));
  } else client.setRequestHandler('elicitation/create', ({ params }) => ({ ...answer(params.message) }));
}

/** Subscribes to one resource and to the list of resources. Returns when the server sends changes. */
async function subscribe(peer: Peer, uri: string, received: (what: string) => void): Promise<void> {
  const { client } = peer;
  if (client instanceof LegacyClient) {
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => received('list'));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => received(params.uri));
    await client.subscribeResource({ uri });
    return;
  }
  client.setNotificationHandler('notifications/resources/list_changed', () => received('list'));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => received(params.uri));
  await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
}

describe.each(LEGS)("the Inspector's command line in the $era era over $over", ({ era, over }) => {
  const inspect = (running: Running, method: string, args: readonly string[] = [], exitCode = 0) =>
    inspected(running, method, ['--protocol-era', era, ...args], exitCode);

  test('lists and calls the tool of weather', async () => {
    await using api = await weatherApi();
    const running = await start('weather', over, { WEATHER_API: api.url });
    expect(await inspect(running, 'tools/list', ['--strict'])).toMatchObject({
      result: { tools: [{ name: 'get_temperatures' }] },
    });
    const args = ['--tool-name', 'get_temperatures', '--tool-arg', 'cities=["Oslo"]'];
    expect(await inspect(running, 'tools/call', args)).toMatchObject({
      result: { structuredContent: { temperatures: [{ city: 'Oslo', celsius: -3 }] } },
    });
  });

  test('lists templates of notes, writes a note and gets a prompt', async () => {
    const running = await start('notes', over);
    expect(await inspect(running, 'resources/templates/list')).toMatchObject({
      result: { resourceTemplates: [{ uriTemplate: 'note://{name}' }] },
    });
    const args = ['--tool-name', 'write_note', '--tool-arg', 'name=shopping', 'text=milk'];
    expect(await inspect(running, 'tools/call', args)).toMatchObject({
      result: { structuredContent: { uri: 'note://shopping', status: 'created' } },
    });
    const prompt = ['--prompt-name', 'summarize', '--prompt-args', 'name=shopping'];
    // Over stdio each request starts another server.
    expect(JSON.stringify(await inspect(running, 'prompts/get', prompt))).toContain(
      over === 'http' ? 'milk' : 'no such note',
    );
  });

  test('shows why booking needs a client that can ask', async () => {
    const running = await start('booking', over);
    const args = ['--tool-name', 'book_table', '--tool-arg', 'restaurant=Roma'];
    const answer = await inspect(running, 'tools/call', args, TOOL_ERROR);
    expect(answer).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(answer)).toContain('Use a client that supports elicitation.');
  });
});
