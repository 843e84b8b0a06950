import { once } from 'node:events';
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  connect,
  type ConnectOptions,
  connectTransport,
  firstText,
  type Peer,
  testContext,
} from '@deskside/core/testing';
import { defineServer, UserError } from '@deskside/core';
import { expect, test } from 'vitest';
import { serveClients } from './attached.ts';
import { Counter, counterServer, sharedFeed } from './changes.ts';
import { myTasks } from './context.ts';
import { closingTime, daysOf, listWorkdays, minutesSince } from './dates.ts';
import { describe as describeError, forHttp, readNote, readNoteTool } from './errors.ts';
import { firstOf, listPhotos } from './limits.ts';
import { cachingOf, LogFiles, logServer, resourceNames } from './lists.ts';
import { callText, mayHave, renamed } from './mount.ts';
import { copyFiles } from './progress.ts';
import { flagLines, gatewayOptions, portFrom } from './options.ts';
import { planTrip, travelServer } from './prompts.ts';
import { deleteFile } from './questions.ts';
import { notesServer } from './resources.ts';
import { serveSocket } from './streams.ts';
import { forHtml, logLine, preview, shownText, shownTitle } from './text.ts';
import { libraryServer } from './tools.ts';
import { webApp } from './web-app.ts';

const ERAS = ['legacy', 'modern'] as const;
const BOOKS: readonly [number, { title: string; year: number }][] = [
  [1, { title: 'Emma', year: 1815 }],
  [2, { title: 'Ulysses', year: 1922 }],
];
const library = () => libraryServer({ books: new Map(BOOKS) });
const forms: ConnectOptions['capabilities'] = { elicitation: { form: {} } };

function texts({ content }: Awaited<ReturnType<Peer['callTool']>>): unknown[] {
  return content.map((block) => (block.type === 'text' ? block.text : block.type));
}

test.each(ERAS)('tools.ts: objects, arrays, blocks and instructions in the %s era', async (era) => {
  await using peer = await connect(library(), { era });
  expect(peer.instructions).toBe('Start with list_books.');
  expect((await peer.listTools()).map(({ name }) => name)).toEqual(['get_book', 'list_books', 'show_cover']);
  const book = { found: true, book: { id: 1, title: 'Emma', year: 1815 } };
  const one = await peer.callTool('get_book', { id: 1, unknown: true });
  expect(one).toMatchObject({ structuredContent: book });
  expect(texts(one)).toEqual([JSON.stringify(book)]);
  const list = await peer.callTool('list_books', { limit: 1 });
  expect(texts(list)).toEqual(['[{"id":1,"title":"Emma","year":1815}]', '1 more books follow.']);
  expect(list._meta).toMatchObject({ 'example.org/remaining': 1 });
  expect(texts(await peer.callTool('show_cover', { id: 2 }))).toEqual(['image', 'Ulysses']);
  expect(JSON.parse(firstText(await peer.callTool('get_book', { id: 'x' })))).toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
});

const blocks = async (path: string) => readNoteTool.call({ path }, null, testContext());

test('errors.ts: a missing note, an unreadable note and a fixed text', async () => {
  expect(await blocks('/no/such/note')).toEqual({
    content: [
      {
        type: 'text',
        text: '{"error":"The note does not exist.","code":"NOT_FOUND","hint":"List the notes with list_notes."}',
      },
    ],
    isError: true,
  });
  expect(JSON.stringify(await blocks(import.meta.dirname))).toContain('UNAVAILABLE');
  expect(await blocks('a.locked')).toEqual({
    content: [
      { type: 'text', text: 'Note is locked' },
      { type: 'text', text: 'Ask its owner to unlock it.' },
    ],
    isError: true,
  });
  const missing: unknown = await readNote('/no/such/note').catch((error: unknown) => error);
  expect(describeError(missing)).toBe('The note does not exist. List the notes with list_notes.');
  if (!UserError.is(missing)) throw new Error('not a UserError');
  expect(forHttp(missing)).toMatchObject({ hint: 'List the notes with list_notes.' });
  expect(describeError(new Error('broken'))).toBe('broken');
});

test.each(ERAS)('progress.ts: progress arrives, and a cancelled call stops in the %s era', async (era) => {
  const copied: string[] = [];
  const definition = defineServer({ name: 'copy', version: '1.0.0', deps: { copied }, tools: [copyFiles] });
  await using peer = await connect(definition, { era });
  const received: unknown[] = [];
  const options = { onprogress: (progress: unknown) => received.push(progress) };
  await peer.client.callTool({ name: 'copy_files', arguments: { files: ['a', 'b'] } }, options);
  expect(received).toMatchObject([
    { progress: 1, total: 2, message: 'a' },
    { progress: 2, total: 2, message: 'b' },
  ]);

  const cancelling = new AbortController();
  const files = Array.from({ length: 500 }, (_, index) => `file ${index}`);
  const call = peer.client.callTool(
    { name: 'copy_files', arguments: { files } },
    { signal: cancelling.signal },
  );
  await expect.poll(() => copied.length).toBeGreaterThan(2);
  cancelling.abort();
  await expect(call).rejects.toThrow('aborted');
  const atEnd = await settled(() => copied.length);
  expect(atEnd).toBeLessThan(files.length);
});

/** The value after it has not changed for 200 ms. */
async function settled(read: () => number): Promise<number> {
  let value = read();
  await expect
    .poll(
      () => {
        const before = value;
        value = read();
        return before === value;
      },
      { interval: 200 },
    )
    .toBe(true);
  return value;
}

test.each(ERAS)('resources.ts: lists, contents and completion in the %s era', async (era) => {
  await using peer = await connect(
    notesServer(
      new Map([
        ['shopping', 'milk'],
        ['a b', 'space'],
      ]),
    ),
    { era },
  );
  const { resources } = await peer.client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    'notes://index',
    'notes://notes/shopping',
    'notes://notes/a%20b',
  ]);
  expect((await peer.readResource('notes://notes/a%20b')).contents).toMatchObject([
    { text: 'space', mimeType: 'text/plain' },
  ]);
  expect((await peer.readResource('notes://index')).contents).toHaveLength(2);
  expect((await peer.readResource('notes://icon')).contents).toMatchObject([
    { blob: 'iVBORw==', mimeType: 'image/png' },
  ]);
  await expect(peer.readResource('notes://notes/none')).rejects.toThrow('Resource not found');
  const { completion } = await peer.client.complete({
    ref: { type: 'ref/resource', uri: 'notes://notes/{name}' },
    argument: { name: 'name', value: 'sh' },
  });
  expect(completion.values).toEqual(['shopping']);
});

test.each(ERAS)('prompts.ts: messages and completion in the %s era', async (era) => {
  await using peer = await connect(travelServer({ Italy: ['Rome', 'Milan'], Iceland: [] }), { era });
  expect(await peer.getPrompt('plan_trip', { country: 'Italy', city: 'Rome' })).toMatchObject({
    messages: [{ role: 'user', content: { type: 'text', text: 'Plan a weekend in Rome, Italy.' } }],
  });
  const complete = async (name: string, value: string, given: Record<string, string> = {}) => {
    const ref = { type: 'ref/prompt', name: 'plan_trip' } as const;
    const answer = await peer.client.complete({
      ref,
      argument: { name, value },
      context: { arguments: given },
    });
    return answer.completion.values;
  };
  expect(await complete('country', 'i')).toEqual(['Italy', 'Iceland']);
  expect(await complete('city', 'm', { country: 'Italy' })).toEqual(['Milan']);
  await expect(peer.getPrompt('plan_trip')).rejects.toThrow('country');
  expect(planTrip.arguments.map(({ name, required }) => [name, required])).toEqual([
    ['country', true],
    ['city', false],
  ]);
});

test.each(ERAS)('changes.ts: a subscriber receives the changed URI in the %s era', async (era) => {
  const counter = new Counter();
  await using peer = await connect(counterServer(counter), { era });
  const updated = Promise.withResolvers<string>();
  peer.client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    updated.resolve(params.uri),
  );
  if (era === 'legacy') await peer.client.subscribeResource({ uri: 'counter://value' });
  else await peer.client.listen({ resourceSubscriptions: ['counter://value'] });
  counter.increment();
  expect(await updated.promise).toBe('counter://value');
  expect((await peer.readResource('counter://value')).contents).toMatchObject([{ text: '1' }]);
});

test('changes.ts: a shared feed passes on the changes of another process', () => {
  const received: unknown[] = [];
  let send: ((change: { kind: 'tools_list_changed' }) => void) | undefined;
  const feed = sharedFeed((listener) => {
    send = listener;
  });
  feed.subscribe((change) => received.push(change));
  send?.({ kind: 'tools_list_changed' });
  expect(received).toEqual([{ kind: 'tools_list_changed' }]);
});

test.each(ERAS)('lists.ts: tools by user, resources in pages, and changes in the %s era', async (era) => {
  const files = new LogFiles(Array.from({ length: 250 }, (_, index) => `${index}.log`));
  await using admin = await connect(logServer(files), { era, user: 'admin' });
  await using guest = await connect(logServer(files), { era, user: 'guest' });
  expect(await admin.listTools()).toEqual([]);
  const changed = Promise.withResolvers<void>();
  admin.client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
  if (era === 'modern') await admin.client.listen({ toolsListChanged: true });
  files.allowDeletion();
  await changed.promise;
  expect(await admin.listTools()).toMatchObject([
    { name: 'delete_log', icons: [{ mimeType: 'image/svg+xml' }], _meta: { 'example.org/audited': true } },
  ]);
  expect(await guest.listTools()).toEqual([]);
  expect((await admin.callTool('delete_log', { name: '0.log' })).structuredContent).toEqual({
    status: 'deleted',
  });
  expect((await admin.callTool('delete_log', { name: 'x' })).structuredContent).toEqual({
    status: 'missing',
    left: 249,
  });
  expect(firstText(await admin.callTool('delete_log', { file: 'x', name: 'x' }))).toContain('file');
  const { resources } = await admin.client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(files.names);
  expect(await resourceNames(logServer(files), testContext())).toEqual(files.names);
  expect((await admin.readResource('log://1.log')).contents).toMatchObject([{ text: 'content of 1.log' }]);
  expect(cachingOf(logServer(files))).toMatchObject({ tools: { ttlMs: 10_000, cacheScope: 'private' } });
});

test.each(ERAS)(
  'questions.ts: the user confirms, declines, or cannot be asked in the %s era',
  async (era) => {
    const removed: string[] = [];
    const deps = {
      now: () => new Date('2026-11-21T09:30:00Z'),
      remove: (name: string) => void removed.push(name),
    };
    const definition = defineServer({ name: 'files', version: '1.0.0', deps, tools: [deleteFile] });
    await using peer = await connect(definition, { era, capabilities: forms });
    const messages: string[] = [];
    let confirm = true;
    peer.client.setRequestHandler('elicitation/create', ({ params }) => {
      messages.push(params.message);
      return confirm ? { action: 'accept', content: { confirm } } : { action: 'decline' };
    });
    expect(firstText(await peer.callTool('delete_file', { name: 'a.txt' }))).toBe(
      'Deleted a.txt, asked at 2026-11-21T09:30:00.000Z.',
    );
    confirm = false;
    expect(firstText(await peer.callTool('delete_file', { name: 'b.txt' }))).toBe('The file stays.');
    expect(messages).toEqual(['Delete a.txt?', 'Delete b.txt?']);
    expect(removed).toEqual(['a.txt']);

    await using silent = await connect(definition, { era });
    expect(firstText(await silent.callTool('delete_file', { name: 'c.txt' }))).toContain(
      'This client cannot ask the user.',
    );
  },
);

test.each(ERAS)('context.ts: the tool knows user, client and protocol in the %s era', async (era) => {
  const deps = { tasksOf: ({ user }: { readonly user: string }) => [`task of ${user}`] };
  const definition = defineServer({ name: 'tasks', version: '1.0.0', deps, tools: [myTasks], logging: true });
  await using peer = await connect(definition, { era, user: 'ada' });
  expect((await peer.callTool('my_tasks')).structuredContent).toEqual({
    user: 'ada',
    client: 'test',
    protocol: era === 'legacy' ? '2025-11-25 or older' : '2026-07-28',
    tasks: ['task of ada'],
  });
  const ctx = testContext();
  await myTasks.call({}, deps, ctx);
  expect(ctx.sent.messages).toEqual([['info', 'Reading tasks', 'tasks']]);
});

test('streams.ts: a definition is served over any pair of streams', async () => {
  const socket = new PassThrough();
  const serving = await serveSocket(library(), socket);
  expect(serving.url).toBeUndefined();
  socket.end();
  await serving.closed;
});

test('attached.ts: every client of a socket is a session', async () => {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const clients = serveClients(library(), listener);
  const { port } = listener.address() as AddressInfo;
  const socket = connectSocket(port, '127.0.0.1');
  socket.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } })}\n`,
  );
  const [line] = await once(createInterface({ input: socket }), 'line');
  expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: 'library' } } });
  await clients.close();
});

test('options.ts: settings come from a file, and show as flags', () => {
  expect(portFrom({ port: 4000 })).toBe(4000);
  expect(flagLines(gatewayOptions)[0]).toBe('--admin-port PORT (GATEWAY_ADMIN_PORT), default 9000');
  expect(gatewayOptions.settings.map(({ env }) => env)).toEqual(
    expect.arrayContaining(['GATEWAY_ADMIN_PORT', 'DESKSIDE_PORT', 'DESKSIDE_TOKEN', 'DESKSIDE_LOG_LEVEL']),
  );
});

const workdays = async (startDate: string, endDate: string) =>
  JSON.stringify(await listWorkdays.call({ startDate, endDate }, null, testContext()));

test('dates.ts: workdays of a range, and errors that name the argument', async () => {
  expect(await workdays('2026-11-20', '2026-11-24')).toContain('["2026-11-20","2026-11-23"]');
  expect(await workdays('2026-11-31', '2026-12-01')).toContain('INVALID_DATE');
  expect(await workdays('2026-11-20', '2026-11-20')).toContain('INVALID_RANGE');
  expect(await workdays('2026-01-01', '2026-12-31')).toContain('RANGE_TOO_LARGE');
  expect(minutesSince('2026-11-20T09:30', new Date(2026, 10, 20, 10, 45))).toBe(75);
  expect(minutesSince('today', new Date())).toBeUndefined();
  expect([2024, 2026].map(daysOf)).toEqual([366, 365]);
  expect(closingTime('2026-11-20T09:30')).toBe('2026-11-20T17:00:00');
});

async function photos(names: readonly string[], unreadable: number, limit?: number): Promise<unknown> {
  const result = await listPhotos.call({ limit }, { names, unreadable }, testContext());
  return 'structuredContent' in result ? result.structuredContent : undefined;
}

test('limits.ts: a cut list says so, and an empty one says why', async () => {
  expect(await photos(['a', 'b'], 0, 1)).toEqual({
    photos: ['a'],
    truncation: { truncated: true, returnedCount: 1, totalAvailable: 2 },
    diagnostics: { degraded: false },
  });
  expect(await photos([], 0)).toMatchObject({ diagnostics: { degraded: false, reasonCode: 'NoPhotos' } });
  expect(await photos(['a'], 1, 9999)).toMatchObject({
    diagnostics: { degraded: true, reasonCode: 'UnreadableFiles' },
  });
  expect(firstOf(['a'], 20)).toEqual({ truncated: true, returnedCount: 1, totalAvailable: 20 });
});

test('text.ts: invisible characters show, and lengths count emoji once', () => {
  expect(shownTitle('a\u202Eb')).toBe(String.raw`a\u{202e}b`);
  expect(shownTitle('\u200B ')).toBe('(untitled)');
  expect(shownTitle('x'.repeat(50))).toHaveLength(40);
  expect(shownText('a\r\nb\u0007')).toBe('a\nb\\u{7}');
  expect(logLine({ a: '\u001B[31m' })).toBe(String.raw`{"a":"\u001b[31m"}`);
  expect(logLine({ a: '\u202E' })).toBe(String.raw`{"a":"\u202e"}`);
  expect(forHtml('a\u202Eb')).toBe('a&#8238;b');
  expect(preview('🎉🎉🎉🎉')).toBe('🎉🎉🎉 (4)');
});

test('mount.ts: a program calls tools directly, and under another name', async () => {
  const mounted = renamed(library(), 'lib');
  await using peer = await connect(mounted);
  expect(peer.instructions).toBe('Start with lib_list_books.');
  const tools = await peer.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['lib_get_book', 'lib_list_books', 'lib_show_cover']);
  expect(tools[0]?.description).toContain('lib_list_books');
  expect((await peer.callTool('lib_get_book', { id: 9 })).structuredContent).toEqual({ found: false });
  expect(await callText(library(), 'list_books', testContext())).toContain('Emma');
  expect(await callText(library(), 'no_such_tool', testContext())).toBe('No tool is named no_such_tool.');
});

test('mount.ts: a program finds out whether a server may have a resource', async () => {
  const notes = notesServer(new Map());
  const has = (uri: string) => mayHave(notes, uri, testContext());
  expect(await has('notes://index')).toBe(true);
  expect(await has('notes://notes/any')).toBe(true);
  expect(await has('other://index')).toBe(false);
});

const requestTo = (url: string) => new Request(url, { headers: { host: new URL(url).host } });

test.each(ERAS)('web-app.ts: one path of an application serves MCP in the %s era', async (era) => {
  const token = 'token-of-the-examples';
  const app = webApp(library(), { token });
  const transport = new StreamableHTTPClientTransport(new URL('http://desk.example.com/mcp'), {
    fetch: (url, init) => {
      const request = new Request(url, init);
      request.headers.set('host', new URL(url).host);
      return app.fetch(request);
    },
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  const peer = await connectTransport(transport, { era });
  expect((await peer.callTool('get_book', { id: 1 })).structuredContent).toMatchObject({ found: true });
  await peer[Symbol.asyncDispose]();
  expect(await (await app.fetch(requestTo('http://desk.example.com/'))).text()).toBe('Hello');
  expect((await app.fetch(requestTo('http://desk.example.com/mcp'))).status).toBe(401);
  expect((await app.fetch(requestTo('http://evil.example.com/mcp'))).status).toBe(403);
  await app.close();
});
