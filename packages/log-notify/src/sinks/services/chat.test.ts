import { expect, test } from 'vitest';
import type { Notification } from '../../notification/notification.ts';
import { sampleNotification } from '../../testing/delivery.ts';
import { hostileTexts } from '../../testing/hostile-texts.ts';
import { postOf } from '../../testing/post-of.ts';
import type { PostFor } from '../define-sink.ts';
import { apprise } from './apprise.ts';
import { discord } from './discord.ts';
import { ntfy } from './ntfy.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

const url = new URL('https://example.org/hook');
const slackPost = postOf(slack, { url: url.href });
const discordPost = postOf(discord, { url: url.href });
const telegramPost = postOf(telegram, { url: url.href, token: '1:abc', chat: '-100' });
const pushoverPost = postOf(webhook, { url: url.href, template: 'pushover', token: 'a', user: 'b' });
const teamsPost = postOf(webhook, { url: url.href, template: 'teams' });

const sent = {
  ...sampleNotification('disk **full**\n- `/var`', 'error', 'performance'),
  caller: 'Claude Code · desk',
};

interface SlackBody {
  readonly text: string;
  readonly blocks: readonly { readonly text: string }[];
}
interface DiscordBody {
  readonly embeds: readonly { readonly title: string; readonly description: string }[];
}

function bodyOf(post: PostFor, notification: Notification, now = notification.time): unknown {
  return JSON.parse(post(notification, new Date(now)).body);
}

/** Telegram's HTML after the service has parsed it. */
function parsedHtml(html: string): string {
  const names: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
  return html
    .replaceAll(/<\/?(?:b|code|pre)>|<a href="[^"<>]*">|<\/a>/g, '')
    .replaceAll(/&(lt|gt|amp|quot);/g, (entity, name: string) => names[name] ?? entity);
}

const EMBED_LIMITS = 'https://docs.discord.com/developers/resources/message#embed-object-embed-limits';

const markdownOf = ({ blocks }: SlackBody) => blocks.map(({ text }) => text).join('');
const embedOf = ({ embeds: [embed] }: DiscordBody) => embed ?? { title: '', description: '' };

/** A letter for each code point: Pushover counts them. */
const toUnits = (text: string) => text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, 'x');

/**
 * The parts of a request that the services limit, as they document it in November 2026. Their characters are counted as
 * UTF-16 units here, the strictest reading.
 */
function limitedParts(notification: Notification) {
  const slack = bodyOf(slackPost, notification) as SlackBody;
  const { title, description } = embedOf(bodyOf(discordPost, notification) as DiscordBody);
  const telegram = bodyOf(telegramPost, notification) as { readonly text: string };
  const pushover = bodyOf(pushoverPost, notification) as { readonly title: string; readonly message: string };
  return [
    [markdownOf(slack), 12_000, 'https://docs.slack.dev/reference/block-kit/blocks/markdown-block'],
    [slack.text, 4000, 'https://docs.slack.dev/reference/methods/chat.postMessage#truncating'],
    [description, 4096, EMBED_LIMITS],
    [title + description, 6000, EMBED_LIMITS],
    [parsedHtml(telegram.text), 4096, 'https://core.telegram.org/bots/api#sendmessage'],
    [toUnits(pushover.message), 1024, 'https://pushover.net/api#limits'],
    [toUnits(pushover.title), 250, 'https://pushover.net/api#limits'],
    [title, 256, EMBED_LIMITS],
  ] as const;
}

const many = [
  ['letters', 'a'],
  ['emoji', '😀'],
  ['ampersands', '&'],
  ['tags', '<b>'],
  ['escapes', '\u{E0041}'],
  ['code', '`a`'],
  ['links', '[a](https://example.org/?a=1&b=2) '],
] as const;

const messages = [
  ...many.map(([what, text]) => [`many ${what}`, text.repeat(9000)] as const),
  // Cut at an even or an odd unit.
  ['a letter and many emoji', `a${'😀'.repeat(9000)}`] as const,
  ...hostileTexts,
];

test.each(messages)('the requests with %s are within the documented limits', (_, message) => {
  const caller = `😀&<"${message.slice(0, 1000)}`;
  const notification = { ...sampleNotification(message, 'warn', 'c'.repeat(64)), caller };
  for (const [part, limit, source] of limitedParts(notification)) {
    expect(part.length, source).toBeLessThanOrEqual(limit);
    expect(part.isWellFormed(), source).toBe(true);
    // What is omitted is counted, but not in a title.
    if (message.length > 100_000 && limit > 256) expect(part).toMatch(/…\[truncated \d+\]$/);
  }
  // A workflow of Teams accepts 28 kB.
  expect(Buffer.byteLength(teamsPost(notification, new Date(0)).body)).toBeLessThanOrEqual(28_000);
});

test('a Slack webhook gets a Markdown block, and the same as plain text', () => {
  const title = '🚨 Error: performance · Claude Code · desk';
  expect(bodyOf(slackPost, sent)).toStrictEqual({
    text: `${title}\ndisk **full**\n- \`/var\``,
    blocks: [{ type: 'markdown', text: `**${title}**\n\ndisk **full**\n- \`/var\`` }],
    // Slack would open the links of a message: both, in messages with blocks.
    // https://docs.slack.dev/messaging/unfurling-links-in-messages
    unfurl_links: false,
    unfurl_media: false,
  });
});

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
test.each([
  ['<!channel> **a**', '&lt;!channel&gt; **a**', '&lt;!channel&gt; **a**'],
  ['<https://x|y>', '&lt;https://x|y&gt;', '&lt;https://x|y&gt;'],
  // Slack does not decode entities in the target of a Markdown link.
  ['[a](https://e.org/?f=1&g=2)', '[a](https://e.org/?f=1&amp;g=2)', '[a](https://e.org/?f=1&g=2)'],
  ['R&D', 'R&amp;D', 'R&D'],
  ['a &lt; b &#60;', 'a &amp;lt; b &amp;#60;', 'a &amp;lt; b &amp;#60;'],
])('Slack shows %j as written, and nothing in it is active', (message, text, markdown) => {
  const { blocks, text: plain } = bodyOf(slackPost, sampleNotification(message)) as SlackBody;
  expect(plain).toBe(`ℹ️ Info\n${text}`);
  expect(blocks[0]?.text).toBe(`**ℹ️ Info**\n\n${markdown}`);
});

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
test('a Discord webhook gets an embed, and nothing mentions anyone', () => {
  expect(bodyOf(discordPost, sent)).toStrictEqual({
    embeds: [
      {
        title: '🚨 Error: performance · Claude Code · desk',
        description: 'disk **full**\n- `/var`',
        color: 0xdc2626,
        timestamp: '1970-01-01T00:00:00.000Z',
      },
    ],
    allowed_mentions: { parse: [] },
  });
});

/** https://core.telegram.org/bots/api#html-style: these tags, and these four named entities. */
test('Telegram gets the chat and HTML from Markdown, at the address of the bot', () => {
  const markdown = '<i> **a** `b<c>` [d](https://e.org/?f=1&g="h")\n```sh\nrm -rf *\n``` <script> 2 ** 3';
  const message = { ...sampleNotification(markdown, 'info'), caller: 'x & y' };
  expect(telegramPost(message, new Date(message.time)).url.pathname).toBe('/hook/bot1:abc/sendMessage');
  expect(bodyOf(telegramPost, message)).toStrictEqual({
    chat_id: '-100',
    text: '<b>ℹ️ Info · x &amp; y</b>\n&lt;i&gt; <b>a</b> <code>b&lt;c&gt;</code> <a href="https://e.org/?f=1&amp;g=&quot;h&quot;">d</a>\n<pre>rm -rf *\n</pre> &lt;script&gt; 2 ** 3',
    parse_mode: 'HTML',
    disable_notification: true,
    link_preview_options: { is_disabled: true },
  });
});

const came = new Date(2026, 10, 21, 22, 42, 30).getTime();
const failed = sampleNotification('The build failed', 'error', 'llm', came);
const ntfyPost = postOf(ntfy, { url: url.href, topic: 't' });

test.each([
  ['at once', came, '"Error"'],
  ['a minute later', came + 60_000, '"Error"'],
  ['more than a minute later', came + 60_001, '"22:42 · Error"'],
  ['at midnight', new Date(2026, 10, 22).getTime(), '"2026-11-21 22:42 · Error"'],
])('the title of a notification that is shown %s', (_, now, title) => {
  expect(ntfyPost(failed, new Date(now)).body).toContain(`"title":${title}`);
});

test.each([
  ['apprise', postOf(apprise, { url: url.href, key: 'k' }), '22:42 · Error'],
  ['Slack', slackPost, '22:42 · Error'],
  ['Telegram', telegramPost, '22:42 · Error'],
  // It shows a timestamp itself.
  ['Discord', discordPost, '"title":"🚨 Error"'],
])('%s shows the time of a notification that comes late', (_, post, time) => {
  expect(post(failed, new Date(came)).body).not.toContain('22:42 ·');
  expect(post(failed, new Date(came + 120_000)).body).toContain(time);
});
