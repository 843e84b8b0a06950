import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { silentLog } from '@deskside/core';
import { openJournal } from '@deskside/desktop';
import { fixedClock } from '@deskside/core/testing';
import { renderMessage } from '@deskside/look/message';
import { temporaryFolder } from '@deskside/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemCall } from '@deskside/gateway';
import { openPage } from '@deskside/page/testing/open-page';
import { KEY_HEADER, type PageEvent, type PageItem, type PageTasks, PART } from '@deskside/page/protocol';
import { Feed, LateInbox, LINK_MS, PageAuth } from '@deskside/page';

/** A request with any Host header, which `fetch` does not allow. */
async function statusFor(origin: string, path: string, headers: Readonly<Record<string, string>>) {
  const { port } = new URL(origin);
  const sent = request({ host: '127.0.0.1', port, path, headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

/** A page with its key, and with tasks. */
async function openWithKey(options?: Parameters<typeof openPage>[0]) {
  const opened = await openPage(options);
  const key = await opened.keyOf();
  const headers = { [KEY_HEADER]: key };
  const todo = opened.opened.mounts.find(({ id }) => id === 'todo');
  return {
    ...opened,
    key,
    headers,
    get: async (path: string): Promise<unknown> => (await fetch(opened.origin + path, { headers })).json(),
    add: async (task: Readonly<Record<string, string>>) =>
      todo && systemCall(todo, 'add_task', { user_id: 'me', ...task }, 'owner', silentLog),
  };
}

test('a link works for 60 s, and a key until it is not used for a day', () => {
  const clock = fixedClock('2026-11-24T10:00:00Z');
  const auth = new PageAuth(clock);
  const [secret, late] = [auth.newSecret(), auth.newSecret()];
  clock.advance(LINK_MS);
  const key = auth.exchange(secret) ?? '';
  clock.advance(1);
  expect([auth.exchange(late), auth.exchange(''), auth.accept('')].filter(Boolean)).toStrictEqual([]);
  expect(auth.accept(key)).toBeDefined();
  for (let day = 0; day < 3; day += 1) {
    clock.advance(24 * 60 * 60_000);
    expect(auth.accept(key)).toBeDefined();
  }
  clock.advance(24 * 60 * 60_000 + 1);
  expect(auth.accept(key)).toBeUndefined();
});

test('a link that is used twice closes the page that it opened', async () => {
  const { origin, keyOf, key, headers } = await openWithKey();
  const stream = await fetch(`${origin}/events`, { headers });
  expect(stream.status).toBe(200);
  expect(await keyOf()).toBe('');
  await expect(stream.text()).rejects.toThrow('terminated');
  expect(await statusFor(origin, '/tasks', { host: new URL(origin).host, [KEY_HEADER]: key })).toBe(401);
});

test('a fifth page replaces the oldest one, and says so to it: a browser has six connections to the desk', async () => {
  const { origin, headers, page } = await openWithKey();
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const open = () => fetch(`${origin}/events`, { headers, signal: ending.signal });
  const oldest = await open();
  for (let newer = 0; newer < 4; newer += 1) await open();
  expect(await oldest.text()).toMatch(/\n\{"type":"replaced"\}\n$/);
  expect(page.isOpen).toBe(true);
});

test('a name that points at this machine gets nothing: DNS rebinding', async () => {
  const { origin, headers } = await openWithKey();
  const { host, port } = new URL(origin);
  const others = [`evil.example:${port}`, `localhost:${port}`, '127.0.0.1', `127.0.0.1:${Number(port) + 1}`];
  const statuses = [host, ...others].map((name) => statusFor(origin, '/tasks', { host: name, ...headers }));
  expect(await Promise.all(statuses)).toStrictEqual([200, 421, 421, 421, 421]);
  expect(await statusFor(origin, '/', { host: `evil.example:${port}` })).toBe(421);
});

test.each([
  ['a server on another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['an origin that hides', { origin: 'null' }],
  ['another port, which is the same site', { 'sec-fetch-site': 'same-site' }],
])('%s cannot answer, even with a key', async (_, headers) => {
  const { ask, idOf, headers: key, post } = await openWithKey();
  void ask('Delete it?');
  const body = { id: idOf('Delete it?'), answer: { kind: 'text', text: 'yes' } };
  const { status } = await post('/answer', body, { ...key, ...headers });
  expect(status).toBe(403);
  expect(idOf('Delete it?')).not.toBe('');
});

test.each([
  ['no key', {}],
  ['a wrong key', { [KEY_HEADER]: 'a'.repeat(43) }],
  ['a cookie', { cookie: `${KEY_HEADER}=key` }],
  ['a bearer token', { authorization: 'Bearer key' }],
])('%s gets nothing', async (_, given) => {
  const { origin, key, post } = await openWithKey();
  const headers = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value.replace(/key$/, key)]),
  );
  for (const path of ['/events', '/tasks', '/day'])
    expect((await fetch(origin + path, { headers })).status, path).toBe(401);
  for (const path of ['/answer', '/done', '/seen', '/show', '/tell'])
    expect((await post(path, {}, headers)).status, path).toBe(401);
});

test('the page is one document without sources, frames, forms and inline handlers, and answers nobody else', async () => {
  const { origin, keyOf } = await openPage();
  const response = await fetch(origin, { headers: { origin: 'http://evil.example' } });
  const policy = response.headers.get('content-security-policy') ?? '';
  for (const rule of [
    "default-src 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
  ])
    expect(policy.split('; ')).toContain(rule);
  expect(policy).toMatch(/script-src 'sha256-[^']+';/);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toStrictEqual([]);
  expect(response.headers.has('set-cookie')).toBe(false);
  expect(await response.text()).not.toContain(await keyOf());
  expect((await fetch(`${origin}/tasks`, { method: 'OPTIONS', headers: { origin } })).status).toBe(401);
});

test('a WebSocket is refused', async () => {
  const { origin } = await openPage();
  const { host, port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    `GET /events HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: http://evil.example\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  );
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toMatch(/^HTTP\/1\.1 403/);
  socket.destroy();
});

test.each([
  ['a form', 'id=1', 'application/x-www-form-urlencoded', 415],
  ['a text', '{}', 'text/plain', 415],
  ['no JSON', '{', 'application/json', 400],
  ['no object', '[]', 'application/json', 400],
  ['too much', JSON.stringify({ text: 'x'.repeat(300_000) }), 'application/json', 413],
])('%s is refused', async (_, body, type, status) => {
  const { headers, post } = await openWithKey();
  expect((await post('/answer', body, { 'content-type': type, ...headers })).status).toBe(status);
});

/** A call as the desk asks about it, and as the page gets it. */
const pay = (id: string, value: string) => ({ id, arguments: [{ name: 'to', value }], calls: 1 });

describe('what the page can do', () => {
  test('an answer from the page is the outcome, closes the window, and a later one gets 409', async () => {
    const { ask, idOf, key, answer, popup, journal } = await openWithKey();
    const outcome = ask('Which route?', { options: ['/a', '/b\u202E'] });
    const id = idOf('Which route?');
    await expect.poll(() => popup.windows).toHaveLength(1);
    expect(await answer(key, id, { kind: 'option', index: 2 })).toBe(400);
    expect(await answer(key, id, { kind: 'option', index: 1 })).toBe(204);
    // The option itself, not what the page shows of it.
    expect(await outcome).toStrictEqual({ kind: 'submitted', text: '/b\u202E' });
    expect(await answer(key, id, { kind: 'text', text: 'no' })).toBe(409);
    await expect.poll(() => popup.windows).toHaveLength(0);
    await expect
      .poll(() => journal.records({ kind: 'question' }))
      .toMatchObject([{ id, outcome: 'answered', via: 'page' }]);
    const byWindow = ask('And now?');
    const next = idOf('And now?');
    await expect.poll(() => popup.windows).toHaveLength(1);
    popup.windows[0]?.end({ kind: 'submitted', text: 'window' });
    expect(await byWindow).toStrictEqual({ kind: 'submitted', text: 'window' });
    expect(await answer(key, next, { kind: 'text', text: 'page' })).toBe(409);
  });

  test('an item with several questions or for news cannot be answered with a text', async () => {
    const { ask, idOf, key, answer } = await openWithKey();
    void ask('Two things', { questions: [{ question: 'One?' }, { question: 'Two?' }] });
    void ask('Done', { kind: 'news' });
    const text = { kind: 'text', text: 'yes' } as const;
    expect(await answer(key, idOf('Two things\n\n1. One?\n2. Two?'), text)).toBe(403);
    expect(await answer(key, idOf('Done'), text)).toBe(403);
    expect(await answer(key, idOf('Done'), { kind: 'close' })).toBe(204);
  });

  const approval = {
    ...pay('a', 'ada'),
    others: [pay('b', 'bob')],
    more: ['session'],
    isExact: true,
  } as const;
  const RUN = 'Run shop › pay?';

  test('an approval is allowed for the calls that the page names, as far as they wait', async () => {
    const { ask, idOf, key, answer, popup, journal } = await openWithKey();
    const outcome = ask(RUN, { kind: 'approval', approval });
    const id = idOf(RUN);
    await expect.poll(() => popup.windows).toHaveLength(1);
    const allow = (scope: 'once' | 'session' | 'always', ...ids: readonly string[]) =>
      answer(key, id, { kind: 'allow', scope, ids });
    expect(await allow('once')).toBe(409);
    expect(await allow('once', 'c')).toBe(409);
    // The window does not offer it.
    expect(await allow('always', 'a')).toBe(409);
    expect(await allow('once', 'b', 'c')).toBe(204);
    expect(await outcome).toStrictEqual({ kind: 'allowed', scope: 'once', ids: ['b'] });
    expect(await allow('once', 'a')).toBe(409);
    await expect.poll(() => popup.windows).toHaveLength(0);
    await expect
      .poll(() => journal.records({ kind: 'approval' }))
      .toMatchObject([{ id, outcome: 'allowed', via: 'page' }]);
  });

  test('an approval is denied with a line for the agent, and nothing else answers it', async () => {
    const { ask, idOf, key, headers, answer, post, journal } = await openWithKey();
    const outcome = ask(RUN, { kind: 'approval', approval });
    void ask('Which route?');
    const [id, question] = [idOf(RUN), idOf('Which route?')];
    const decisions = [
      { kind: 'allow', scope: 'once', ids: ['a'] },
      { kind: 'deny', text: 'no', ids: ['a'] },
    ] as const;
    for (const given of decisions) expect(await answer(key, question, given)).toBe(403);
    const [text, option] = [{ kind: 'text', text: 'allow' } as const, { kind: 'option', index: 0 } as const];
    for (const given of [text, option, { kind: 'cancel' }, { kind: 'close' }] as const)
      expect(await answer(key, id, given)).toBe(403);
    const malformed = [
      { kind: 'allow', ids: ['a'] },
      { kind: 'allow', scope: 'forever', ids: ['a'] },
      { kind: 'deny', ids: ['a'] },
    ];
    for (const given of malformed) {
      const { status } = await post('/answer', { id, answer: given }, headers);
      expect(status).toBe(400);
    }
    expect(await answer(key, id, { kind: 'deny', text: 'use staging', ids: ['a', 'b'] })).toBe(204);
    expect(await outcome).toStrictEqual({ kind: 'denied', text: 'use staging', ids: ['a', 'b'] });
    await expect
      .poll(() => journal.records({ kind: 'approval' }))
      .toMatchObject([{ id, outcome: 'denied', via: 'page' }]);
  });

  test('a review is accepted in its window only', async () => {
    const { ask, idOf, key, answer } = await openWithKey();
    const review = { parts: [], offersReading: true };
    void ask('Add files?', {
      kind: 'approval',
      approval: { arguments: [], calls: 1, more: [], isExact: false, review },
    });
    const id = idOf('Add files?');
    expect(await answer(key, id, { kind: 'allow', scope: 'once', ids: [''] })).toBe(403);
    expect(await answer(key, id, { kind: 'deny', text: '', ids: [''] })).toBe(403);
  });

  test('a page gets every argument escaped, the whole of a long one on demand, and learns which calls wait', async () => {
    const { ask, idOf, headers, get, origin, popup } = await openWithKey();
    const long = 'x'.repeat(5000);
    void ask(RUN, {
      kind: 'approval',
      approval: { ...approval, ...pay('a', `\u202e${long}`), claim: '\u200b!' },
    });
    const { body } = await fetch(`${origin}/events`, { headers });
    const whole = (id: string) => get(`/value?item=${idOf(RUN)}&call=${id}&part=0`);
    let text = '';
    const items = () =>
      text
        .split('\n')
        .filter((line) => line.startsWith('{"type":"item"'))
        .map((line) => (JSON.parse(line) as { readonly item: PageItem }).item.approval);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const next = async (count: number) => {
      while (items().length < count || !text.endsWith('\n')) text += (await reader?.read())?.value ?? '';
      return items().at(-1);
    };
    const shown = {
      destroys: false,
      object: '',
      claim: '\\u{200b}!',
      more: [{ scope: 'session', text: 'Allow all calls of this tool in this session' }],
    };
    const first = await next(1);
    expect(first).toMatchObject(shown);
    expect(first?.html.match(/data-id="\w"/g)).toStrictEqual(['data-id="a"', 'data-id="b"']);
    expect(first?.html).toMatch(/\\u\{202e\}x{70,80}<.*<pre dir="auto"><\/pre>/);
    expect(await whole('a')).toBe(`\\u{202e}${long}`);
    popup.inbox.update(idOf(RUN), { ...approval, ...pay('b', 'bob'), others: [], calls: 3 });
    while (items().at(-1)?.object === '') await next(items().length + 1);
    expect(items().at(-1)).toMatchObject({ ...shown, object: 'to bob', claim: '' });
    expect(items().at(-1)?.html).toContain('3 equal calls wait. "Allow once" runs one of them.');
    expect(items().at(-1)?.html).not.toContain('data-id="a"');
    expect(await whole('a')).toBeNull();
    await reader?.cancel();
  });

  test('a recurring task says how often it comes back, and its completion which one is next', async () => {
    const { get, post, headers, add } = await openWithKey();
    expect(await get('/tasks')).toStrictEqual({ tasks: [], more: 0 });
    await add({ title: 'Water the plants', due_date: '2100-01-31', every: 'month' });
    const first = { id: 1, title: 'Water the plants', due: '2100-01-31', every: 'month' };
    expect(await get('/tasks')).toStrictEqual({ tasks: [first], more: 0 });
    expect((await post('/done', { id: 7 }, headers)).status).toBe(409);
    expect((await post('/done', { id: '1; drop' }, headers)).status).toBe(400);
    const done = await post('/done', { id: 1 }, headers);
    expect(await done.json()).toStrictEqual({
      next: { ...first, id: 2, due: '2100-02-28', every: 'month on 31' },
    });
  });

  test.each([false, true])('a message is the HTML of its window, if that is plain: %s', async (plain) => {
    const { ask, key, eventsOf } = await openWithKey({ plain });
    const text =
      '# One\n\n**two** <b>three</b> [four](https://example.org/) [five](javascript:x)\n\n\u202e1. six';
    void ask(text);
    const [item] = await eventsOf(key, 'item', 1);
    expect(item?.item.html).toBe(renderMessage(text, plain, []).html);
    expect(item?.item.html.includes('<strong>')).toBe(!plain);
  });

  test('what Deskside itself says is plain text, as in its window: it may contain a text of a server', async () => {
    const { ask, keyOf, eventsOf } = await openPage();
    const text = 'The login to evil has failed: "[Log in](https://evil.example/)"';
    void ask(text, { kind: 'news', isOwn: true });
    const [item] = await eventsOf(await keyOf(), 'item', 1);
    expect(item?.item.html).not.toContain('<a');
    expect(item?.item.html).toContain('[Log in]');
  });

  test('a page gets what is open and the newest records, then the others of today', async () => {
    const { journal, keyOf, eventsOf } = await openPage();
    const start = { user: 'owner', mount: 'log' };
    const waiting = journal.begin({ ...start, kind: 'question', caller: 'early' });
    const content = { text: 'The state is locked.\nBy \u202eci-runner-3', level: 'error' };
    const noted = journal.begin({ ...start, kind: 'notification', caller: 'codex · infra', content });
    noted.seen('terminal');
    noted.end('delivered');
    for (let index = 0; index < PART; index += 1)
      journal.begin({ ...start, kind: 'call', caller: 'claude', tool: `tool_${index}` }).end('ok');
    await expect.poll(() => journal.records()).toHaveLength(PART + 2);
    const key = await keyOf();
    const [newest, others] = await eventsOf(key, 'records', 2);
    expect(newest?.records.map(({ id, tool }) => tool ?? id)).toStrictEqual([
      waiting.id,
      ...Array.from({ length: PART }, (_, index) => `tool_${index}`),
    ]);
    expect(others?.records).toMatchObject([
      {
        id: noted.id,
        caller: 'codex · infra',
        level: 'error',
        text: 'The state is locked.\nBy \\u{202e}ci-runner-3',
        seen: expect.stringMatching(/^\d{4}-/),
      },
    ]);
  });

  test('a notification that a page shows is marked as seen, once, and nothing else is', async () => {
    const { journal, headers, post } = await openWithKey();
    const start = { caller: 'codex · infra', project: 'infra', user: 'owner', mount: 'log' };
    const items = (
      [
        ['stored', { ...start, kind: 'notification' }],
        ['delivered', { ...start, kind: 'notification' }],
        ['delivered', { ...start, kind: 'notification', mount: 'toast' }],
        ['answered', { ...start, kind: 'question' }],
        ['ok', { ...start, kind: 'call' }],
      ] as const
    ).map(([outcome, item]) => ({ outcome, item: journal.begin(item) }));
    for (const { outcome, item } of items) item.end(outcome);
    await journal.records();
    items[1]?.item.seen('terminal');
    const [before] = await journal.records();
    const see = async (ids: unknown) => (await post('/seen', { ids }, headers)).status;
    expect(await see('all')).toBe(400);
    expect(await see(items.slice(1).map(({ item }) => item.id))).toBe(204);
    expect(await see(['unknown', 7, before?.id])).toBe(204);
    await expect
      .poll(async () => (await journal.records())[0])
      .toStrictEqual({ ...before, seen: expect.stringMatching(/^\d{4}-/), via: 'page' });
    expect(await see([before?.id])).toBe(204);
    expect((await journal.records()).map(({ seen, via }) => [seen !== undefined, via])).toStrictEqual([
      [true, 'page'],
      [true, 'terminal'],
      ...Array.from({ length: 3 }, () => [false, undefined]),
    ]);
  });

  test('a task that is due comes first, also if hundreds are newer', async () => {
    const { get, add } = await openWithKey();
    await add({ title: 'Due', due_date: '2026-01-01' });
    await Promise.all(Array.from({ length: 510 }, (_, index) => add({ title: `Later ${index}` })));
    const { tasks, more } = (await get('/tasks')) as PageTasks;
    expect(tasks[0]).toStrictEqual({ id: 1, title: 'Due', due: '2026-01-01' });
    expect(more).toBe(511 - tasks.length);
  });

  test('a task comes with the agent that has claimed it, and with the end of the claim', async () => {
    const { get, add, claim } = await openWithKey();
    for (const title of ['Held', 'Free']) await add({ title });
    await claim('codex \u202e infra', 1, 60_000);
    const holder = { label: 'codex \\u{202e} infra', until: expect.stringMatching(/^2\d{3}-.*Z$/) };
    expect(await get('/tasks')).toStrictEqual({
      tasks: [
        { id: 2, title: 'Free' },
        { id: 1, title: 'Held', holder },
      ],
      more: 0,
    });
  });
});

/** What a page of an empty desk gets. */
function openFeed(clock: ReturnType<typeof fixedClock>) {
  const places = { state: temporaryFolder(), runtime: [] };
  const journal = openJournal({ places, log: silentLog, clock });
  onTestFinished(() => journal[Symbol.asyncDispose]());
  const inbox = new LateInbox();
  const feed = new Feed({
    inbox,
    journal,
    clients: () => [],
    render: (text) => text,
    clock,
  });
  /** What an open page gets. */
  const follow = () => {
    const events: PageEvent[] = [];
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    void feed.send((event) => void events.push(event), ending.signal);
    return {
      events,
      records: () => events.flatMap((event) => (event.type === 'records' ? event.records : [])),
    };
  };
  /** The ids of the records that a page gets at its beginning. */
  const begun = async () => {
    const { events, records } = follow();
    await expect.poll(() => events.map(({ type }) => type)).toContain('ready');
    return records().map(({ id }) => id);
  };
  return { places, journal, follow, begun };
}

test('what was asked before midnight and ends after it ends on the page, too', async () => {
  const clock = fixedClock('2026-11-24T23:59:00');
  const { journal, follow } = openFeed(clock);
  const waiting = journal.begin({ kind: 'question', caller: 'claude', user: 'owner' });
  await journal.records();
  const { records } = follow();
  await expect.poll(records).toHaveLength(1);
  clock.advance(2 * 60_000);
  waiting.end('answered', 'window');
  await journal.records();
  await expect.poll(() => records().at(-1)).toMatchObject({ id: waiting.id, outcome: 'answered' });
});

test('a page begins with what is open and what ended today, whatever is between them', async () => {
  const clock = fixedClock('2026-11-21T12:00:00');
  const { journal, begun } = openFeed(clock);
  const begin = (id: string) => journal.begin({ id, kind: 'question', caller: 'claude', user: 'owner' });
  begin('open');
  begin('over').end('answered');
  await journal.records();
  clock.advance(60 * 3_600_000);
  begin('early').end('answered');
  await journal.records();
  clock.advance(23 * 3_600_000);
  begin('late').end('answered');
  await journal.records();
  expect(await begun()).toStrictEqual(['open', 'early', 'late']);
});

test('what a clock that was ahead has recorded is not of today, unless it is open', async () => {
  const clock = fixedClock('2026-11-24T12:00:00');
  const { places, journal, begun } = openFeed(clock);
  const start = { kind: 'question', caller: 'claude', user: 'owner' } as const;
  const ahead = openJournal({ places, log: silentLog, clock: fixedClock('2026-11-25T00:00:00') });
  ahead.begin({ ...start, id: 'open' });
  ahead.begin({ ...start, id: 'over' }).end('answered');
  onTestFinished(() => ahead[Symbol.asyncDispose]());
  await ahead.records();
  clock.advance(12 * 3_600_000 - 1);
  journal.begin({ ...start, id: 'last' }).end('answered');
  await journal.records();
  expect((await begun()).toSorted()).toStrictEqual(['last', 'open']);
});

test('a client over HTTP is on the page with its first call, and goes ten minutes after the last one', async () => {
  const clock = fixedClock('2026-11-24T12:00:00');
  const { journal, follow } = openFeed(clock);
  const { events } = follow();
  const labels = () =>
    events.findLast((event) => event.type === 'clients')?.clients.map(({ label }) => label) ?? [];
  const call = { kind: 'call', user: 'owner' } as const;
  const start = { ...call, caller: 'laptop\u202E', transport: 'http' } as const;
  journal.begin({ ...call, caller: 'attached' }).end('ok');
  const long = journal.begin(start);
  clock.advance(20 * 60_000);
  // The name of a client may change, its session does not.
  const phone = { ...start, caller: 'phone', session: 's' };
  const reporting = journal.begin(phone);
  // News stays open after its call.
  journal.begin({ ...phone, id: reporting.id, kind: 'news' });
  reporting.end('ok');
  journal.begin({ ...phone, caller: 'phone · shop' }).end('ok');
  await expect.poll(labels).toStrictEqual(['laptop\\u{202e}', 'phone · shop']);
  journal.begin(start).end('ok');
  await journal.records();
  long.end('ok');
  await journal.records();
  clock.advance(10 * 60_000 - 1);
  journal.begin({ ...start, caller: 'late' }).end('ok');
  await expect.poll(labels).toStrictEqual(['laptop\\u{202e}', 'phone · shop', 'late']);
  clock.advance(1);
  await expect.poll(labels).toStrictEqual(['late']);
});
