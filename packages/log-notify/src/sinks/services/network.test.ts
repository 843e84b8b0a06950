import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { sampleNotification } from '../../testing/delivery.ts';
import { postOf, testHost } from '../../testing/post-of.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../testing/receiver.ts';
import type { PostFor } from '../define-sink.ts';
import type { Sink } from '../sink.ts';
import { apprise } from './apprise.ts';
import { ntfy } from './ntfy.ts';
import { serviceSink } from './post.ts';
import { webhook as webhookSink } from './webhook.ts';

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
  return webhookSink.open({ url, ...options }, testHost);
}

/** The time of `sampleNotification`. */
const atOnce = { now: () => new Date(0) };

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
  const { method, headers, body } = request;
  expect(method).toBe('POST');
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
  // The official library of receivers. It checks the time too.
  const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(verified).toStrictEqual(JSON.parse(body));
  expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow(
    /signature/i,
  );
});

test('credentials of a URL become a basic authorization header, unless the configuration sets one', async () => {
  const { url, received } = await receiver();
  url.username = 'désk';
  url.password = '50%:@';
  await webhook(url).deliver([sampleNotification('a')], signal);
  await webhook(url, { headers: { Authorization: 'Bearer x' } }).deliver([sampleNotification('b')], signal);
  // No valid percent encoding: as written.
  const odd = new URL(url.href.replace(/\/\/.*@/, '//me:%zz@'));
  await webhook(odd).deliver([sampleNotification('d')], signal);
  const [basic, asWritten] = ['désk:50%:@', 'me:%zz'].map((text) => Buffer.from(text).toString('base64'));
  expect(received.map(({ headers }) => headers['authorization'])).toStrictEqual([
    `Basic ${basic}`,
    'Bearer x',
    `Basic ${asWritten}`,
  ]);
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
  // Built from parts, so that no scanner takes this file for a leak.
  const token = ['gl', 'pat-', 'aB3dE6gH9jK2mN5pQ8rS'].join('');
  const message = `password=hunter2 at https://me:word@example.org ${token} ${'x'.repeat(200_000)}`;
  await webhook(url).deliver([sampleNotification(message)], signal);
  expect(received[0]?.body).toContain('password=[redacted] at https://[redacted]example.org [redacted] xxx');
  expect(received[0]?.body).toContain('[truncated 190');
});

test.each([
  ['7', 7000],
  ['soon', 0],
  ['Tue, 31 Dec 2019 00:00:00 GMT', 0],
  ['Wed, 01 Jan 2020 00:02:00 GMT', 120_000],
])('a 429 response with Retry-After %j delays the retry by %i ms', async (header, delayMs) => {
  // The clocks of the receiver and of this machine differ.
  const headers = { 'retry-after': header, date: 'Wed, 01 Jan 2020 00:00:00 GMT' };
  const { url } = await receiver((response) => response.writeHead(429, headers).end());
  await expect(webhook(url).deliver([sampleNotification('a')], signal)).rejects.toMatchObject({ delayMs });
});

/** A body that is shorter than its length, and one without an end. */
const cutOff = (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': '10' }).write('ok', () => response.destroy());
};
const endless = (status: number) => (response: ServerResponse) => {
  response.writeHead(status);
  const send = () => {
    while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
  };
  response.on('drain', send);
  send();
};
const unfinished = (status: number) => (response: ServerResponse) => {
  response.writeHead(status).write('wait');
};

test.each([
  ['is cut off', cutOff],
  ['never ends', unfinished(200)],
  ['streams without an end', endless(200)],
])('a 2xx response is a delivery, although its body %s', async (_, answer) => {
  const { url } = await receiver(answer);
  expect(await failureOf(webhook(url).deliver([sampleNotification('a')], signal))).toBeUndefined();
});

test.each([
  ['never ends', unfinished(500), '(wait)'],
  ['streams without an end', endless(500), `(${'x'.repeat(200)})`],
])('only the start of an error page that %s is read', async (_, answer, excerpt) => {
  let sent = 0;
  const { url } = await receiver((response) => {
    answer(response);
    response.on('close', () => (sent = response.socket?.bytesWritten ?? sent));
    response.on('drain', () => (sent = response.socket?.bytesWritten ?? sent));
  });
  const failure = await failureOf(webhook(url).deliver([sampleNotification('a')], signal));
  expect(String(failure)).toContain(`responded with 500 ${excerpt}`);
  expect(sent).toBeLessThan(16_000_000);
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

const sent = {
  ...sampleNotification('disk **full**\n- `/var`', 'error', 'performance'),
  caller: 'Claude Code · desk',
};

/** What a receiver gets of a notification. @param postFor at the URL of the receiver */
async function requestOf(postFor: (url: string) => PostFor, clock = atOnce): Promise<ReceivedRequest> {
  const { url, received } = await receiver();
  await serviceSink(postFor(url.href), {}, undefined, clock).deliver([sent], signal);
  const [request] = received;
  if (request === undefined) throw new Error('no request arrived');
  return request;
}

test('apprise-api gets title, body as Markdown, type and tag', async () => {
  const { path, body } = await requestOf((url) => postOf(apprise, { url, key: 'my key', tag: 'phone' }));
  expect(path).toBe('/hook/notify/my%20key');
  expect(JSON.parse(body)).toStrictEqual({
    title: 'Error: performance · Claude Code · desk',
    body: 'disk **full**\n- `/var`',
    type: 'failure',
    format: 'markdown',
    tag: 'phone',
  });
});

test('ntfy gets topic, title, Markdown and priority as JSON, and the token as a header', async () => {
  const { headers, body } = await requestOf((url) => postOf(ntfy, { url, topic: 'desk', token: 'tk_x' }));
  expect(headers['authorization']).toBe('Bearer tk_x');
  expect(JSON.parse(body)).toStrictEqual({
    topic: 'desk',
    title: 'Error: performance · Claude Code · desk',
    message: 'disk **full**\n- `/var`',
    markdown: true,
    priority: 5,
    tags: ['rotating_light'],
  });
});

test.each([
  ['/desk', '/'],
  ['/proxy/desk', '/proxy'],
  ['/my-desk', '/my-desk'],
])('ntfy with the URL of the topic %s sends to %s', async (path, expected) => {
  const post = (url: string) => postOf(ntfy, { url: url.replace('/hook', path), topic: 'desk' });
  expect(await requestOf(post)).toMatchObject({ path: expected });
});

test('a body template gets the fields of a notification, and the signature covers its result', async () => {
  const template =
    '{"text": {{ title | append: ": " | append: message | json }}, "at": "{{ time }}", "who": {{ project | json }}}';
  const options = { secret, body: template, content_type: 'application/vnd.example+json' };
  const { headers, body } = await requestOf(
    (url) => postOf(webhookSink, { url, ...options }),
    // Who verifies it looks at the time.
    { now: () => new Date() },
  );
  expect(JSON.parse(body)).toStrictEqual({
    text: 'Error: performance · Claude Code · desk: disk **full**\n- `/var`',
    at: '1970-01-01T00:00:00.000Z',
    who: '',
  });
  expect(headers['content-type']).toBe('application/vnd.example+json');
  new Webhook(secret).verify(body, headers as Record<string, string>);
});

test.each(['{{ mesage }}', '{% include "/etc/passwd" %}', '{{ message | shell }}', '{% if %}'])(
  'the body template %j fails, and reads no file',
  async (body) => {
    const { url, received } = await receiver();
    const deliver = async () => webhookSink.open({ url, body }, testHost).deliver([sent], signal);
    await expect(deliver()).rejects.toThrow(/undefined variable|ENOENT|undefined filter|not closed|invalid/i);
    expect(received).toStrictEqual([]);
  },
);

test('a request goes through the proxy that the environment names, except for the hosts that it excludes', async () => {
  const proxy = await receiver();
  const env = { HTTP_PROXY: proxy.url.origin, NO_PROXY: 'localhost' };
  const direct = await receiver();
  await serviceSink(postOf(webhookSink, { url: 'http://ntfy.lan/hook', insecure_http: true }), env).deliver(
    [sent],
    signal,
  );
  const local = direct.url.href.replace('127.0.0.1', 'localhost');
  await serviceSink(postOf(webhookSink, { url: local }), env).deliver([sent], signal);
  expect(proxy.received.map(({ path }) => path)).toStrictEqual(['http://ntfy.lan/hook']);
  expect(direct.received).toHaveLength(1);
});

/** The sample is of 1970. */
const LATE_TITLE = expect.stringMatching(
  /^(?:1969-12-31|1970-01-01) \d\d:\d\d · Error: performance · Claude Code · desk$/,
) as string;

/** https://gotify.net/docs/pushmsg, https://pushover.net/api, and adaptive cards in a workflow of Teams. */
test.each([
  [
    { template: 'gotify', token: 'A1b2' },
    {
      title: LATE_TITLE,
      message: 'disk **full**\n- `/var`',
      priority: 8,
      extras: { 'client::display': { contentType: 'text/markdown' } },
    },
  ],
  [
    { template: 'pushover', token: 'app', user: 'me' },
    {
      token: 'app',
      user: 'me',
      title: 'Error: performance · Claude Code · desk',
      message: 'disk **full**\n- `/var`',
      priority: 1,
      timestamp: 0,
    },
  ],
  [
    { template: 'teams' },
    {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              {
                type: 'TextBlock',
                weight: 'Bolder',
                wrap: true,
                text: LATE_TITLE,
                color: 'Attention',
              },
              { type: 'TextBlock', wrap: true, text: 'disk **full**\n- `/var`' },
            ],
          },
        },
      ],
    },
  ],
] as const)('the template of a webhook %j sends what the service documents', async (settings, body) => {
  const { url, received } = await receiver();
  const open = (given: object) =>
    webhookSink.open(webhookSink.schema.parse({ url: url.href, ...given }), testHost);
  await open(settings).deliver([sent], signal);
  expect(JSON.parse(received[0]?.body ?? '')).toStrictEqual(body);
  const { template, ...needed } = settings;
  for (const name of Object.keys(needed))
    expect(() => open({ ...settings, [name]: undefined })).toThrow(`the template ${template} needs ${name}`);
  expect(received[0]?.headers['x-gotify-key']).toBe(settings.template === 'gotify' ? 'A1b2' : undefined);
});
