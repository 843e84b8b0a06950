import { expect, test } from 'vitest';
import { sampleNotification } from '../testing/delivery.ts';
import { postOf } from '../testing/post-of.ts';
import { apprise } from './services/apprise.ts';
import { discordPost } from './services/discord.ts';
import { slackPost } from './services/slack.ts';
import { telegram } from './services/telegram.ts';
import { ntfy } from './services/ntfy.ts';
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
  ['apprise', postOf(apprise, { url: url.href, key: 'k' })],
  ['ntfy', postOf(ntfy, { url: url.href, topic: 't' })],
  ['Slack', slackPost({ url })],
  ['Telegram', postOf(telegram, { url: url.href, token: '1:a', chat: '1' })],
])('%s shows the time of a notification that comes late', (_, post) => {
  expect(post(sent, new Date(came)).body).not.toContain('22:42');
  expect(post(sent, new Date(came + 120_000)).body).toContain('22:42 · Error');
});

test('Discord gets the time as a timestamp, which it shows itself', () => {
  const { body } = discordPost({ url })(sent, new Date(came + 120_000));
  expect(body).not.toContain('22:42 ·');
  expect(body).toContain(`"timestamp":"${new Date(came).toISOString()}"`);
});
