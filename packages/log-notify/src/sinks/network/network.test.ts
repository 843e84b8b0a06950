import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { sampleNotification } from '../../testing/delivery.ts';
import { type Receiver, startReceiver } from '../../testing/receiver.ts';
import { type Sink, Undeliverable } from '../sink.ts';
import { AppriseSink } from './apprise.ts';
import { NtfySink } from './ntfy.ts';
import { WebhookSink } from './webhook.ts';

async function receiver(answer?: (response: ServerResponse) => void): Promise<Receiver> {
  const started = await startReceiver(answer);
  onTestFinished(async () => started[Symbol.asyncDispose]());
  return started;
}

/** A URL on this machine that nothing listens on. */
async function unusedUrl(): Promise<URL> {
  await using started = await startReceiver();
  return started.url;
}

const { signal } = new AbortController();
const secret = 'whsec_YS1zZWNyZXQta2V5LW9mLWVub3VnaC1ieXRlcw==';

function webhook(url: URL, options: { secret?: string; headers?: Record<string, string> } = {}): Sink {
  return new WebhookSink({
    url,
    secret: options.secret,
    headers: options.headers ?? {},
    now: () => 1_795_257_000_000,
  });
}

async function failureOf(delivery: Promise<void>): Promise<unknown> {
  return delivery.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('a webhook request is signed so that the receiver can verify it', async () => {
  const { url, received } = await receiver();
  const sent = sampleNotification('Database migration detected', 'warn', 'safety', 1_795_256_999_000);
  await webhook(url, { secret, headers: { 'x-team': 'desk' } }).deliver([sent], signal);
  const [request] = received;
  if (request === undefined) throw new Error('no request arrived');
  const { headers, body } = request;
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
  // As https://www.standardwebhooks.com describes it for receivers.
  const signedContent = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(signedContent)
    .digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  expect(headers['webhook-timestamp']).toBe('1795257000');
});

test('a webhook request without a secret is not signed', async () => {
  const { url, received } = await receiver();
  await webhook(url).deliver([sampleNotification('a')], signal);
  expect(received[0]?.headers).not.toHaveProperty('webhook-signature');
});

test('credentials of a URL become a basic authorization header, unless the configuration sets one', async () => {
  const { url, received } = await receiver();
  url.username = 'désk';
  url.password = '50%:@';
  await webhook(url).deliver([sampleNotification('a')], signal);
  await webhook(url, { headers: { Authorization: 'Bearer x' } }).deliver([sampleNotification('b')], signal);
  await new NtfySink({ url, topic: 'desk', token: undefined }).deliver([sampleNotification('c')], signal);
  const basic = `Basic ${Buffer.from('désk:50%:@').toString('base64')}`;
  expect(received.map(({ headers }) => headers['authorization'])).toStrictEqual([basic, 'Bearer x', basic]);
});

test('a password that is not valid percent encoding is sent as written', async () => {
  const { url, received } = await receiver();
  await webhook(new URL(url.href.replace('//', '//me:%zz@'))).deliver([sampleNotification('a')], signal);
  expect(received[0]?.headers['authorization']).toBe(`Basic ${Buffer.from('me:%zz').toString('base64')}`);
});

test('a configured header replaces the default one', async () => {
  const { url, received } = await receiver();
  await webhook(url, { headers: { 'User-Agent': 'mine' } }).deliver([sampleNotification('a')], signal);
  expect(received[0]?.headers).toMatchObject({ 'user-agent': 'mine', 'content-type': 'application/json' });
});

test('the error of a failed request contains no password and no header value', async () => {
  const url = await unusedUrl();
  url.username = 'me';
  url.password = 'sup3rsecret';
  const sink = webhook(url, { headers: { authorization: 'Bearer abcdefgh12345\n678' } });
  const failure = await failureOf(sink.deliver([sampleNotification('a')], signal));
  expect(failure).toBeInstanceOf(Error);
  expect(String(failure)).not.toMatch(/sup3rsecret|abcdefgh/);
});

test('a webhook gets no secrets of the message', async () => {
  const { url, received } = await receiver();
  await webhook(url).deliver([sampleNotification('the password=hunter2 was found')], signal);
  expect(received[0]?.body).not.toContain('hunter2');
});

test('a webhook gets at most 10,000 code points of a message', async () => {
  const { url, received } = await receiver();
  await webhook(url).deliver([sampleNotification('a.'.repeat(500_000))], signal);
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    data: { message: `${'a.'.repeat(5000)}…[truncated 990000]` },
  });
});

test.each([
  [500, /responded with 500/],
  [503, /responded with 503/],
  [429, /responded with 429/],
])('a response with status %i allows a retry', async (status, message) => {
  const { url } = await receiver((response) => response.writeHead(status).end());
  const failure = await failureOf(webhook(url).deliver([sampleNotification('a')], signal));
  expect(failure).not.toBeInstanceOf(Undeliverable);
  expect(failure).toMatchObject({ message: expect.stringMatching(message) });
});

test.each([
  ['7', 7000],
  ['soon', 0],
  ['Wed, 01 Jan 2020 00:00:00 GMT', 0],
])('a 429 response with Retry-After %j delays the retry by %i ms', async (header, delayMs) => {
  const { url } = await receiver((response) => response.writeHead(429, { 'retry-after': header }).end());
  await expect(webhook(url).deliver([sampleNotification('a')], signal)).rejects.toMatchObject({ delayMs });
});

test.each([400, 401, 404, 410, 413])('a response with status %i is a permanent rejection', async (status) => {
  const { url } = await receiver((response) => response.writeHead(status).end());
  await expect(webhook(url).deliver([sampleNotification('a')], signal)).rejects.toBeInstanceOf(Undeliverable);
});

test.each([301, 302, 307, 308])('a redirect with status %i is not followed', async (status) => {
  const other = await receiver();
  const { url } = await receiver((response) =>
    response.writeHead(status, { location: other.url.href }).end(),
  );
  await expect(webhook(url).deliver([sampleNotification('a')], signal)).rejects.toThrow(
    /redirects are not followed/,
  );
  expect(other.received).toStrictEqual([]);
});

test('a refused connection is an error with its code', async () => {
  const url = await unusedUrl();
  await expect(webhook(url).deliver([sampleNotification('a')], signal)).rejects.toThrow(
    /cannot reach .*ECONNREFUSED/,
  );
});

test('a request without a response ends when it is aborted', async () => {
  const arrived = Promise.withResolvers<void>();
  const { url } = await receiver(() => arrived.resolve());
  const controller = new AbortController();
  const delivered = webhook(url).deliver([sampleNotification('a')], controller.signal);
  await arrived.promise;
  controller.abort(new Error('too late'));
  await expect(delivered).rejects.toThrow(/too late/);
});

test('apprise-api gets title, body, type and tag', async () => {
  const { url, received } = await receiver();
  const sink = new AppriseSink({ url, key: 'my key', tag: 'phone', headers: {} });
  await sink.deliver([sampleNotification('disk\nfull', 'error', 'performance')], signal);
  expect(received[0]?.path).toBe('/hook/notify/my%20key');
  expect(JSON.parse(received[0]?.body ?? '')).toStrictEqual({
    title: 'ERROR: performance',
    body: String.raw`disk\nfull`,
    type: 'failure',
    format: 'text',
    tag: 'phone',
  });
});

test('ntfy gets topic, title, message and priority as JSON, and the token as a header', async () => {
  const { url, received } = await receiver();
  const sink = new NtfySink({ url, topic: 'desk', token: 'tk_x' });
  await sink.deliver([sampleNotification('Grüße 😀', 'warn', 'workflow')], signal);
  expect(received[0]?.headers['authorization']).toBe('Bearer tk_x');
  expect(JSON.parse(received[0]?.body ?? '')).toStrictEqual({
    topic: 'desk',
    title: 'workflow',
    message: 'Grüße 😀',
    priority: 3,
    tags: ['warning'],
  });
});
