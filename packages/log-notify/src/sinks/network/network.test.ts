import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { hostileTexts, LIVE } from '../../testing/hostile-texts.ts';
import { told } from '../../testing/notifications.ts';
import { type Sink, Undeliverable } from '../sink.ts';
import { AppriseSink } from './apprise.ts';
import { NtfySink } from './ntfy.ts';
import { WebhookSink } from './webhook.ts';

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A real HTTP server that keeps what it gets and answers as it is told. */
async function receiver(answer: (response: ServerResponse) => void = (response) => response.end()) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: request.url, headers: request.headers, body });
      return answer(response);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/hook`), received };
}

const forever = new AbortController().signal;
const secret = 'whsec_YS1zZWNyZXQta2V5LW9mLWVub3VnaC1ieXRlcw==';

function webhook(url: URL, options: { secret?: string; headers?: Record<string, string> } = {}): Sink {
  return new WebhookSink({
    url,
    secret: options.secret,
    headers: options.headers ?? {},
    now: () => 1_795_257_000_000,
  });
}

describe('a webhook', () => {
  test('is signed so that the receiver can verify it', async () => {
    const { url, received } = await receiver();
    const sent = told('Database migration detected', 'warn', 'safety', 1_795_256_999_000);
    await webhook(url, { secret, headers: { 'x-team': 'desk' } }).deliver([sent], forever);
    const [{ headers, body } = { headers: {} as Received['headers'], body: '' }] = received;
    expect(JSON.parse(body)).toStrictEqual({
      type: 'llm_notify.warn',
      timestamp: '2026-11-21T10:29:59.000Z',
      data: { id: sent.id, level: 'warn', context: 'safety', message: 'Database migration detected' },
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-team': 'desk',
      'webhook-id': sent.id,
    });
    // As https://www.standardwebhooks.com tells a receiver to.
    const signedContent = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const expected = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(signedContent)
      .digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
    expect(headers['webhook-timestamp']).toBe('1795257000');
  });

  test('without a secret is not signed', async () => {
    const { url, received } = await receiver();
    await webhook(url).deliver([told('a')], forever);
    expect(received[0]?.headers).not.toHaveProperty('webhook-signature');
  });

  test('gets name and password of its address as a header, which one that is configured beats', async () => {
    const { url, received } = await receiver();
    url.username = 'désk';
    url.password = '50%:@';
    await webhook(url).deliver([told('a')], forever);
    await webhook(url, { headers: { Authorization: 'Bearer x' } }).deliver([told('b')], forever);
    await new NtfySink({ url, topic: 'desk', token: undefined }).deliver([told('c')], forever);
    const basic = `Basic ${Buffer.from('désk:50%:@').toString('base64')}`;
    expect(received.map(({ headers }) => headers.authorization)).toStrictEqual([basic, 'Bearer x', basic]);
  });

  test('whose password is no text of UTF-8 gets it as it is written', async () => {
    const { url, received } = await receiver();
    await webhook(new URL(url.href.replace('//', '//me:%zz@'))).deliver([told('a')], forever);
    expect(received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:%zz').toString('base64')}`);
  });

  test('has each header once, as it was configured', async () => {
    const { url, received } = await receiver();
    await webhook(url, { headers: { 'User-Agent': 'mine' } }).deliver([told('a')], forever);
    expect(received[0]?.headers).toMatchObject({ 'user-agent': 'mine', 'content-type': 'application/json' });
  });

  test('that fails never quotes a password', async () => {
    const { url } = await receiver();
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    url.username = 'me';
    url.password = 'sup3rsecret';
    const failure: unknown = await webhook(url, { headers: { authorization: 'Bearer abcdefgh12345\n678' } })
      .deliver([told('a')], forever)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).not.toMatch(/sup3rsecret|abcdefgh/);
  });

  test('carries no secrets of the message, and nothing live', async () => {
    const { url, received } = await receiver();
    const sink = webhook(url);
    await sink.deliver([told('the password=hunter2 was found')], forever);
    expect(received[0]?.body).not.toContain('hunter2');
    for (const [, message] of hostileTexts) await sink.deliver([told(message)], forever);
    for (const { body } of received) expect(body).not.toMatch(LIVE);
    expect(JSON.parse(received[1]?.body ?? '')).toMatchObject({ data: { message: hostileTexts[0]?.[1] } });
  });

  test('gets no more of a message than people are shown', async () => {
    const { url, received } = await receiver();
    await webhook(url).deliver([told('a.'.repeat(500_000))], forever);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      data: { message: `${'a.'.repeat(5000)}…[truncated 990000]` },
    });
  });

  test.each([
    [500, /answers 500/],
    [503, /answers 503/],
    [429, /answers 429/],
  ])('that answers %i can be tried again', async (status, message) => {
    const { url } = await receiver((response) => response.writeHead(status).end());
    const failure: unknown = await webhook(url)
      .deliver([told('a')], forever)
      .catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(Undeliverable);
    expect(failure).toMatchObject({ message: expect.stringMatching(message) });
  });

  test.each([
    ['7', 7000],
    ['soon', 0],
    ['Wed, 01 Jan 2020 00:00:00 GMT', 0],
  ])('that answers 429 with Retry-After %j asks for %i ms', async (header, milliseconds) => {
    const { url } = await receiver((response) => response.writeHead(429, { 'retry-after': header }).end());
    await expect(webhook(url).deliver([told('a')], forever)).rejects.toMatchObject({ milliseconds });
  });

  test.each([400, 401, 404, 410, 413])('that answers %i is not tried again', async (status) => {
    const { url } = await receiver((response) => response.writeHead(status).end());
    await expect(webhook(url).deliver([told('a')], forever)).rejects.toBeInstanceOf(Undeliverable);
  });

  test.each([301, 302, 307, 308])('that redirects with %i is not followed', async (status) => {
    const elsewhere = await receiver();
    const { url } = await receiver((response) =>
      response.writeHead(status, { location: elsewhere.url.href }).end(),
    );
    await expect(webhook(url).deliver([told('a')], forever)).rejects.toThrow(
      /a redirect, which is not followed/,
    );
    expect(elsewhere.received).toStrictEqual([]);
  });

  test('that refuses the connection says so', async () => {
    const { url } = await receiver();
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    await expect(webhook(url).deliver([told('a')], forever)).rejects.toThrow(
      /can't be reached: .*ECONNREFUSED/,
    );
  });

  test('that hangs is left when the time is over', async () => {
    const arrived = Promise.withResolvers<void>();
    const { url } = await receiver(() => arrived.resolve());
    const controller = new AbortController();
    const delivered = webhook(url).deliver([told('a')], controller.signal);
    await arrived.promise;
    controller.abort(new Error('too late'));
    await expect(delivered).rejects.toThrow(/too late/);
  });
});

test('apprise-api gets title, text, type and tag', async () => {
  const { url, received } = await receiver();
  const sink = new AppriseSink({ url, key: 'my key', tag: 'phone', headers: {} });
  await sink.deliver([told('disk\nfull', 'error', 'performance')], forever);
  expect(received[0]?.path).toBe('/hook/notify/my%20key');
  expect(JSON.parse(received[0]?.body ?? '')).toStrictEqual({
    title: 'ERROR: performance',
    body: String.raw`disk\nfull`,
    type: 'failure',
    format: 'text',
    tag: 'phone',
  });
});

test('ntfy gets topic, text and priority as JSON, and its token', async () => {
  const { url, received } = await receiver();
  const sink = new NtfySink({ url, topic: 'desk', token: 'tk_x' });
  await sink.deliver([told('Grüße 😀', 'warn', 'workflow')], forever);
  expect(received[0]?.headers.authorization).toBe('Bearer tk_x');
  expect(JSON.parse(received[0]?.body ?? '')).toStrictEqual({
    topic: 'desk',
    title: 'workflow',
    message: 'Grüße 😀',
    priority: 3,
    tags: ['warning'],
  });
});

test.each<readonly [what: string, text: string]>([
  ...hostileTexts,
  ['a thousand controls', '\0'.repeat(1000)],
  ['a thousand tags', '\u{E0041}'.repeat(1000)],
  ['a thousand emoji', '😀'.repeat(1000)],
])('%s is no attachment for ntfy', async (_, message) => {
  const { url, received } = await receiver();
  await new NtfySink({ url, topic: 'desk', token: undefined }).deliver([told(message)], forever);
  const { message: shown } = JSON.parse(received[0]?.body ?? '') as { message: string };
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(4096);
  // ntfy takes twice as much of the JSON around it.
  expect(Buffer.byteLength(received[0]?.body ?? '')).toBeLessThanOrEqual(8192);
});

test.each(hostileTexts)('%s reaches apprise and ntfy as one line', async (_, message) => {
  const { url, received } = await receiver();
  const sinks = [
    new AppriseSink({ url, key: 'k', tag: undefined, headers: {} }),
    new NtfySink({ url, topic: 't', token: undefined }),
  ];
  for (const sink of sinks) await sink.deliver([told(message)], forever);
  for (const { body } of received) {
    const { title, message: shown, body: text = shown } = JSON.parse(body) as Record<string, string>;
    expect(`${title} ${text}`).not.toMatch(LIVE);
  }
});
