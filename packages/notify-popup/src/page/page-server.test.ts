import { type IncomingMessage, request as httpRequest } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { addressOf, popupSpec } from '../testing/samples.ts';
import { type PageServer, openPageServer } from './page-server.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function send(
  page: PageServer,
  path: string,
  { method = 'GET', headers = {}, body = '' }: Sent = {},
): Promise<Answer> {
  const { hostname, port } = new URL(addressOf(page));
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function openPage(onDraft: (text: string) => void = () => undefined): Promise<PageServer> {
  const page = await openPageServer(popupSpec({ acceptsImages: true }, { onDraft }), {
    page: Promise.resolve({ theme: 'auto', plain: false, centered: true }),
    openLink: () => undefined,
  });
  onTestFinished(() => page.close());
  return page;
}

/** The headers of the browser that redeemed the token. */
async function enter(page: PageServer): Promise<Record<string, string>> {
  const { headers } = await send(page, new URL(addressOf(page)).pathname);
  const [cookie = ''] = headers['set-cookie'] ?? [];
  return {
    cookie: cookie.split(';')[0] ?? '',
    origin: new URL(addressOf(page)).origin,
    'content-type': 'application/json',
    'sec-fetch-site': 'same-origin',
  };
}

const answer = JSON.stringify({ type: 'submit', text: 'yes' });
const post = (headers: Record<string, string>, body = answer): Sent => ({ method: 'POST', headers, body });

test('the page is served on a loopback port, with headers that allow no other content', async () => {
  const page = await openPage();
  expect(addressOf(page)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\/[\w-]{43}$/);
  const { status, headers } = await send(page, new URL(addressOf(page)).pathname);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; script-src 'sha256-[^']+' 'sha256-[^']+'; style-src 'sha256-[^']+';.*frame-ancestors 'none'$/,
    ),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'set-cookie': [expect.stringMatching(/; HttpOnly; SameSite=Strict; Path=\/$/)],
  });
});

test('a token that is used twice is refused and ends the popup', async () => {
  const page = await openPage();
  const headers = await enter(page);
  const { status, body } = await send(page, new URL(addressOf(page)).pathname);
  expect([status, body]).toStrictEqual([403, '']);
  expect(await page.ended).toStrictEqual({ kind: 'lost', reason: 'its address was used a second time' });
  expect((await send(page, '/message', post(headers))).status).toBe(409);
});

test('a wrong token is refused and does not end the popup', async () => {
  const page = await openPage();
  expect((await send(page, `/open/${'A'.repeat(43)}`)).status).toBe(403);
  expect((await send(page, '/message', post(await enter(page)))).status).toBe(204);
  expect(await page.ended).toStrictEqual({ kind: 'submitted', text: 'yes' });
});

test.each([
  ['another Host', { host: 'attacker.example' }, 421],
  ['a DNS name in Host', { host: 'localhost' }, 421],
  ['another Origin', { origin: 'http://attacker.example' }, 403],
  ['the Origin of another port', { origin: 'http://127.0.0.1:1' }, 403],
  ['an opaque Origin', { origin: 'null' }, 403],
  ['Sec-Fetch-Site of another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['Sec-Fetch-Site of another port', { 'sec-fetch-site': 'same-site' }, 403],
  ['a wrong cookie', { cookie: `deskside-popup=${'A'.repeat(43)}` }, 403],
  ['no cookie', { cookie: '' }, 403],
  ['the content type of a form', { 'content-type': 'text/plain' }, 415],
] as const)('an answer with %s is refused', async (_, changed, status) => {
  const page = await openPage();
  const headers = await enter(page);
  expect((await send(page, '/message', post({ ...headers, ...changed }))).status).toBe(status);
  // The refused answer did not count: a valid one is still accepted.
  expect((await send(page, '/message', post(headers))).status).toBe(204);
});

test('an answer without an Origin is refused', async () => {
  const page = await openPage();
  const { origin: _, ...headers } = await enter(page);
  expect((await send(page, '/message', post(headers))).status).toBe(403);
});

test.each([
  ['too long', JSON.stringify({ type: 'submit', text: 'x'.repeat(7 * 256 * 1024) }), 413],
  ['not JSON', '{', 400],
  ['of an unknown type', '{"type":"eval"}', 400],
])('a message that is %s is refused', async (_, body, status) => {
  const page = await openPage();
  expect((await send(page, '/message', post(await enter(page), body))).status).toBe(status);
});

test.each([
  ['an image', {}, '/image/0', 'GIF89a', 204],
  ['no image', {}, '/image/0', '<svg>', 400],
  ['an image that is too large', {}, '/image/0', `GIF89a${'x'.repeat(2 * 1024 * 1024)}`, 413],
  ['a fourth image', {}, '/image/3', 'GIF89a', 404],
  ['an image in a form', { 'content-type': 'multipart/form-data' }, '/image/0', 'GIF89a', 415],
  ['an image with a wrong cookie', { cookie: 'deskside-popup=x' }, '/image/0', 'GIF89a', 403],
  ['an image of another Origin', { origin: 'http://attacker.example' }, '/image/0', 'GIF89a', 403],
])('the server checks %s', async (_, changed, path, body, status) => {
  const page = await openPage();
  const headers = { ...(await enter(page)), 'content-type': 'application/octet-stream', ...changed };
  expect((await send(page, path, post(headers, body))).status).toBe(status);
});

test('the server returns an image to its page only', async () => {
  const page = await openPage();
  const headers = await enter(page);
  const cookie = { headers: { ...headers, 'content-type': 'text/plain' } };
  expect((await send(page, '/image/0', cookie)).status).toBe(404);
  await send(page, '/image/0', post({ ...headers, 'content-type': 'application/octet-stream' }, 'GIF89a'));
  const image = await send(page, '/image/0', cookie);
  expect(image.headers['content-type']).toBe('image/gif');
  expect((await send(page, '/image/0')).status).toBe(403);
});

test('the page loads again with the cookie only, and contains the text in the box', async () => {
  const page = await openPage();
  const headers = await enter(page);
  await send(page, '/message', post(headers, JSON.stringify({ type: 'draft', text: '\n</textarea>' })));
  expect((await send(page, '/')).status).toBe(403);
  const { status, body } = await send(page, '/', { headers });
  expect(status).toBe(200);
  expect(body).toContain('>\n\n&lt;/textarea&gt;</textarea>');
});

test('a page that does not read gets the newest of each kind of event, and nothing piles up for it', async () => {
  const page = await openPage();
  const { hostname, port } = new URL(addressOf(page));
  const headers = await enter(page);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({ hostname, port, path: '/events?load=1', headers, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
  onTestFinished(() => void response.destroy());
  response.pause();
  const count = 60;
  for (let index = 1; index <= count; index += 1) {
    const given = Array.from({ length: 2000 }, () => ({ name: 'a', value: `${index} ${'x'.repeat(200)}` }));
    page.notify({ kind: 'approval', approval: { arguments: given, calls: 1, more: [], isExact: true } });
  }
  page.notify({ kind: 'callerGone' });
  let text = '';
  response
    .setEncoding('utf8')
    .on('data', (chunk: string) => (text += chunk))
    .resume();
  const events = () => text.split('\n\n').filter((event) => event.startsWith('event: approval\n'));
  await expect.poll(() => events().at(-1) ?? '').toMatch(/\b60 xxx/);
  await expect.poll(() => text).toContain('event: callerGone');
  expect(events().length).toBeLessThan(count / 4);
});

test('a page gets the whole of a folded value, as long as its call waits', async () => {
  const page = await openPage();
  const value = '<b>'.repeat(200_000);
  const call = { id: 'a', arguments: [{ name: 'text', value }], calls: 1 };
  page.notify({ kind: 'approval', approval: { ...call, more: [], isExact: true } });
  const headers = await enter(page);
  const whole = await send(page, '/value?call=a&part=0', { headers });
  expect(whole).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  expect(whole.body).toBe(value);
  expect((await send(page, '/value?call=b&part=0', { headers })).status).toBe(404);
  expect((await send(page, '/value?call=a&part=0')).status).toBe(403);
});

test('the page server has no file of the package', async () => {
  const page = await openPage();
  expect((await send(page, '/../package.json', { headers: await enter(page) })).status).toBe(404);
});

test('a page that leaves and does not load again was dismissed, and its text becomes the draft', async () => {
  const drafts: string[] = [];
  const page = await openPage((text) => drafts.push(text));
  const headers = await enter(page);
  void send(page, '/events?load=1', { headers }).catch(() => undefined);
  const leave = () => send(page, '/message', post(headers, '{"type":"leave","load":"1","text":"half"}'));
  await expect.poll(async () => (await leave()).status).toBe(204);
  expect(await page.ended).toStrictEqual({ kind: 'dismissed' });
  expect(drafts).toStrictEqual(['half']);
});
