import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLine, parseJsonLine } from '../notification/json-line.ts';
import { createNotification, normalizeContext } from '../notification/notification.ts';
import { escapeLine, MAX_SHOWN_CODE_POINTS, redactedExcerpt } from '../notification/safe-text.ts';
import { terminalLine } from '../notification/terminal-line.ts';
import { alertSequence } from '../tail/terminal-alert.ts';
import { hostileTexts, unsafeIn } from '../testing/hostile-texts.ts';
import { type Receiver, startReceiver } from '../testing/receiver.ts';
import { restore } from '../testing/restore.ts';
import { notifySend, osascript, windowsToast } from './desktop/drivers.ts';
import { AppriseSink } from './network/apprise.ts';
import { NtfySink } from './network/ntfy.ts';
import { WebhookSink } from './network/webhook.ts';

const { signal } = new AbortController();

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => receiver[Symbol.asyncDispose]());

function notificationOf(text: string) {
  return createNotification(
    { level: 'error', context: normalizeContext(text), message: text, client: text },
    0,
  );
}

test.each<readonly [name: string, text: string]>([
  ...hostileTexts,
  ['a thousand controls', '\0'.repeat(1000)],
  ['a thousand tags', '\u{E0041}'.repeat(1000)],
  ['a thousand emoji', '😀'.repeat(1000)],
])('escapeLine and every sink make the text "%s" harmless', async (_, text) => {
  const escaped = escapeLine(text);
  expect(unsafeIn(escaped)).toStrictEqual([]);
  if (Array.from(text).length <= MAX_SHOWN_CODE_POINTS) expect(restore(escaped)).toBe(text);
  else expect(escaped).toMatch(/…\[truncated \d+\]$/);
  expectHarmlessLines(text);
  expectTextOnlyOnDesktop(text);
  expectTextOnlyInAlerts(text);
  await expectHarmlessRequests(text);
});

function expectHarmlessLines(text: string): void {
  const notification = notificationOf(text);
  const line = terminalLine(notification, { color: false, clock: 'date' });
  expect(line.endsWith('\n')).toBe(true);
  expect(unsafeIn(line.slice(0, -1))).toStrictEqual([]);

  const json = jsonLine({ ...notification, context: 'llm' });
  expect(unsafeIn(json)).toStrictEqual([]);
  expect(parseJsonLine(json)).toStrictEqual({ ...notification, context: 'llm' });
}

function expectTextOnlyOnDesktop(message: string): void {
  const text = { level: 'error', title: 'Error: llm', body: escapeLine(message, 500) } as const;
  for (const driver of [notifySend, osascript]) {
    const { args, input = '' } = driver(text);
    expect(args.slice(0, -1)).toStrictEqual(driver({ ...text, body: '' }).args.slice(0, -1));
    expect(unsafeIn(`${args.join('')}${input}`)).toStrictEqual([]);
  }
  const { args, input = '' } = windowsToast(text);
  expect(args).toStrictEqual(windowsToast({ ...text, body: '' }).args);
  expect(JSON.parse(input)).toStrictEqual({ title: text.title, body: text.body });
}

function expectTextOnlyInAlerts(text: string): void {
  const alerted = { ...notificationOf(text), context: text, id: text };
  expect(unsafeIn(alertSequence('osc9', alerted, false).slice(4, -2))).toStrictEqual([]);
  const osc777 = alertSequence('osc777', alerted, false);
  expect(osc777.slice(6, -2).split(';')).toHaveLength(3);
  expect(unsafeIn(osc777.slice(2, -2))).toStrictEqual([]);
  const [, title = '', body = '', ...more] = alertSequence('osc99', alerted, false).split('\u001B]');
  expect(more).toStrictEqual([]);
  for (const part of [title, body]) expect(unsafeIn(part.slice(0, -2))).toStrictEqual([]);
}

async function expectHarmlessRequests(text: string): Promise<void> {
  const [{ length: before }, { url }] = [receiver.received, receiver];
  const sinks = [
    new WebhookSink({ url, secret: undefined, headers: {}, now: () => 0 }),
    new AppriseSink({ url, key: 'k', tag: undefined, headers: {} }),
    new NtfySink({ url, topic: 't', token: undefined }),
  ];
  for (const sink of sinks) await sink.deliver([notificationOf(text)], signal);
  const [webhook = '', apprise = '', ntfy = ''] = receiver.received.slice(before).map(({ body }) => body);

  expect(unsafeIn(webhook)).toStrictEqual([]);
  expect(JSON.parse(webhook)).toMatchObject({ data: { message: redactedExcerpt(text) } });
  const [start = ''] = redactedExcerpt(text).split('…[truncated ');
  expect(Array.from(start).length).toBeLessThanOrEqual(MAX_SHOWN_CODE_POINTS);

  const { title, body } = JSON.parse(apprise) as Record<string, string>;
  expect(unsafeIn(`${title}${body}`)).toStrictEqual([]);

  const { title: topic, message = '' } = JSON.parse(ntfy) as Record<string, string>;
  expect(unsafeIn(`${topic}${message}`)).toStrictEqual([]);
  // A longer message becomes an attachment; ntfy accepts twice as much JSON.
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
  expect(Buffer.byteLength(ntfy)).toBeLessThanOrEqual(8192);
}
