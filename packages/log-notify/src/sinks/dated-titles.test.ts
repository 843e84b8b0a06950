import { expect, test, vi } from 'vitest';
import { sampleNotification } from '../testing/delivery.ts';
import { apprisePost } from './services/apprise.ts';
import { discordPost } from './services/discord.ts';
import { slackPost } from './services/slack.ts';
import { telegramPost } from './services/telegram.ts';
import { ntfyPost } from './services/ntfy.ts';
import type { Host } from './define-sink.ts';
import { sinkHost } from './host.ts';
import { webhook } from './services/webhook.ts';
import { datedTitle } from '../notification/display.ts';

const came = new Date(2026, 10, 21, 22, 42, 30).getTime();
const sent = sampleNotification('The build failed', 'error', 'llm', came);

test.each([
  ['at once', came, 'Error'],
  ['a minute later', came + 60_000, 'Error'],
  ['more than a minute later', came + 60_001, '22:42 · Error'],
  ['at midnight', new Date(2026, 10, 22).getTime(), '2026-11-21 22:42 · Error'],
  ['before it came, because the clock was set back', came - 3_600_000, 'Error'],
])('the title of a notification that is shown %s', (_, now, title) => {
  expect(datedTitle(sent, new Date(now))).toBe(title);
});

const url = new URL('https://example.org/');

test.each([
  ['apprise', apprisePost({ url, key: 'k' })],
  ['ntfy', ntfyPost({ url, topic: 't' })],
  ['Slack', slackPost({ url })],
  ['Telegram', telegramPost({ url, token: '1:a', chat: '1' })],
])('%s shows the time of a notification that comes late', (_, post) => {
  expect(post(sent, new Date(came)).body).not.toContain('22:42');
  expect(post(sent, new Date(came + 120_000)).body).toContain('22:42 · Error');
});

test('Discord gets the time as a timestamp, which it shows itself', () => {
  const { body } = discordPost({ url })(sent, new Date(came + 120_000));
  expect(body).not.toContain('22:42 ·');
  expect(body).toContain(`"timestamp":"${new Date(came).toISOString()}"`);
});

test.each(['teams', 'gotify'])(
  'the template %s shows the time of a notification that comes late',
  (template) => {
    const host = {
      ...sinkHost({ stderr: process.stderr, env: {}, report: () => undefined }),
      service: vi.fn<Host['service']>(),
    };
    webhook.open(webhook.schema.parse({ url: url.href, template, token: 't' }), host);
    const post = host.service.mock.calls[0]?.[0];
    expect(post?.(sent, new Date(came + 120_000)).body).toContain('22:42 · Error');
    expect(post?.(sent, new Date(came)).body).not.toContain('22:42');
  },
);
