import { expect, test } from 'vitest';
import { jsonLine, parseJsonLine } from '../notification/json-line.ts';
import { createNotification, normalizeContext } from '../notification/notification.ts';
import { escapeLines, MAX_SHOWN_CODE_POINTS, redactedExcerpt } from '../notification/safe-text.ts';
import { terminalLine } from '../notification/terminal-line.ts';
import { terminalSequence } from '../commands/terminal-sequence.ts';
import { hostileTexts, unsafeIn } from '../testing/hostile-texts.ts';
import { postOf } from '../testing/post-of.ts';
import { alerter, notifySend, osascript, terminalNotifier, windowsToast } from './desktop/drivers.ts';
import { apprise } from './services/apprise.ts';
import { discord } from './services/discord.ts';
import { slack } from './services/slack.ts';
import { telegram } from './services/telegram.ts';
import { ntfy } from './services/ntfy.ts';
import { templates } from './services/templates.ts';
import { webhook } from './services/webhook.ts';

const url = new URL('https://example.org/hook');

/** More than any sink shows. Only the message has a megabyte. */
const NAME_UNITS = 30_000;

function notificationOf(text: string) {
  const name = text.slice(0, NAME_UNITS);
  return createNotification(
    {
      level: 'error',
      context: normalizeContext(name),
      message: text,
      client: name,
      caller: name,
      project: name,
      session: name,
    },
    0,
  );
}

const settings = { url: url.href, key: 'k', topic: 't', chat: '1', token: '1:a' };
const [ntfyPost, telegramPost] = [postOf(ntfy, settings), postOf(telegram, settings)];
const slackPost = postOf(slack, settings);
const template = '{"a": {{ message | json }}, "b": {{ caller | json }}, "c": {{ title | json }}}';
const posts = [
  postOf(webhook, { url: url.href, body: template }),
  ...Object.keys(templates).map((each) =>
    postOf(webhook, { ...settings, template: each, token: 't', user: 'u' }),
  ),
  postOf(apprise, settings),
  ntfyPost,
  slackPost,
  postOf(discord, settings),
  telegramPost,
];

test.each<readonly [name: string, text: string]>([
  ...hostileTexts,
  ['a thousand controls', '\0'.repeat(1000)],
  ['a thousand tags', '\u{E0041}'.repeat(1000)],
  ['a thousand emoji', '😀'.repeat(1000)],
])('every sink makes the text "%s" harmless', (_, text) => {
  const notification = notificationOf(text);
  const line = terminalLine(notification, { colorsOf: false, clock: 'iso' });
  expect(line.endsWith('\n')).toBe(true);
  expect(unsafeIn(line.slice(0, -1))).toStrictEqual([]);

  const json = jsonLine({ ...notification, context: 'llm' });
  expect(unsafeIn(json)).toStrictEqual([]);
  expect(parseJsonLine(json)).toStrictEqual({ ...notification, context: 'llm' });

  expectTextOnlyOnDesktop(text);
  expectTextOnlyInAlerts(text);
  expectHarmlessRequests(text);
});

function expectTextOnlyOnDesktop(message: string): void {
  const body = escapeLines(message, 500);
  const text = { level: 'error', title: 'Error', body } as const;
  for (const driver of [notifySend, osascript, alerter('/x')]) {
    const [before, after] = [driver({ ...text, body: 'x' }), driver(text)];
    expect(after.args).toHaveLength(before.args.length);
    expect(after.args.filter((arg, index) => arg !== before.args[index])).toHaveLength(body === 'x' ? 0 : 1);
  }
  expect(terminalNotifier('/x')(text)).toMatchObject({ args: ['-title', 'Error'], input: body });
  const { args, input = '' } = windowsToast('powershell.exe')(text);
  expect(args).toStrictEqual(windowsToast('powershell.exe')({ ...text, body: '' }).args);
  expect(JSON.parse(input)).toStrictEqual({ level: 'error', title: text.title, body });
  expect(unsafeIn(body.replaceAll(/[\n\t]/g, ''))).toStrictEqual([]);
}

function expectTextOnlyInAlerts(text: string): void {
  const alerted = { client: 'Claude Code', title: text, message: text };
  const ssh = { SSH_CONNECTION: 'a' };
  expect(unsafeIn(terminalSequence(alerted, ssh)?.slice(4, -3) ?? '\0')).toStrictEqual([]);
  for (const terminal of [{ VTE_VERSION: '7600' }, { TERM: 'foot' }]) {
    const osc777 = terminalSequence(alerted, { ...ssh, ...terminal }) ?? '';
    expect(osc777.slice(2, -3).split(';')).toStrictEqual([
      '777',
      'notify',
      expect.any(String),
      expect.any(String),
    ]);
    expect(unsafeIn(osc777.slice(2, -3))).toStrictEqual([]);
  }
}

function expectHarmlessRequests(text: string): void {
  const notification = notificationOf(text);
  const signedBody = postOf(webhook, { url: url.href })(notification, new Date(0)).body;
  expect(unsafeIn(signedBody)).toStrictEqual([]);
  expect(JSON.parse(signedBody)).toMatchObject({ data: { message: redactedExcerpt(text) } });
  const [start = ''] = redactedExcerpt(text).split(/\n?…\[truncated /);
  expect(Array.from(start).length).toBeLessThanOrEqual(MAX_SHOWN_CODE_POINTS);

  for (const post of posts) {
    const { body } = post(notification, new Date(0));
    const shown = textsIn(JSON.parse(body))
      .join('')
      .replaceAll(/[\n\t]/g, '');
    expect(unsafeIn(shown)).toStrictEqual([]);
  }
  const { message = '' } = JSON.parse(ntfyPost(notification, new Date(0)).body) as Record<string, string>;
  // A longer message becomes an attachment; ntfy accepts twice as much JSON.
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
  const { text: html = '' } = JSON.parse(telegramPost(notification, new Date(0)).body) as Record<
    string,
    string
  >;
  expect(html.replaceAll(/<\/?(?:b|pre|code)>|<a href="https?:[^"<>]*">|<\/a>/g, '')).not.toMatch(/[<>]/);
  expect(html).not.toMatch(/&(?!(?:lt|gt|amp|quot|#39);)/);
  const { text: mrkdwn = '' } = JSON.parse(slackPost(notification, new Date(0)).body) as Record<
    string,
    string
  >;
  expect(mrkdwn).not.toMatch(/[<>]/);
}

/** All texts inside a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
