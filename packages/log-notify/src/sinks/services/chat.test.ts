import { expect, test } from 'vitest';
import type { Notification } from '../../notification/notification.ts';
import { sampleNotification } from '../../testing/delivery.ts';
import { hostileTexts } from '../../testing/hostile-texts.ts';
import { postOf } from '../../testing/post-of.ts';
import type { PostFor } from '../define-sink.ts';
import { discordPost as postToDiscord } from './discord.ts';
import { slackPost as postToSlack } from './slack.ts';
import { telegram } from './telegram.ts';

/**
 * What the services document, in November 2026. Their characters are counted as UTF-16 units here, the strictest
 * reading.
 */
const DOCUMENTED = {
  slackMarkdown: {
    limit: 12_000,
    source: 'https://docs.slack.dev/reference/block-kit/blocks/markdown-block',
  },
  slackText: { limit: 4000, source: 'https://docs.slack.dev/reference/methods/chat.postMessage#truncating' },
  discordTitle: {
    limit: 256,
    source: 'https://docs.discord.com/developers/resources/message#embed-object-embed-limits',
  },
  discordDescription: {
    limit: 4096,
    source: 'https://docs.discord.com/developers/resources/message#embed-object-embed-limits',
  },
  discordEmbed: {
    limit: 6000,
    source: 'https://docs.discord.com/developers/resources/message#embed-object-embed-limits',
  },
  telegramText: { limit: 4096, source: 'https://core.telegram.org/bots/api#sendmessage' },
} as const;

type Limit = keyof typeof DOCUMENTED;

const url = new URL('https://example.org/hook');
const [slackPost, discordPost] = [postToSlack({ url }), postToDiscord({ url })];
const telegramPost = postOf(telegram, { url: url.href, token: '1:abc', chat: '-100' });

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

/** The part of each request that a limit is about. */
function parts(notification: Notification): Readonly<Record<Limit, string>> {
  const { text, blocks } = bodyOf(slackPost, notification) as SlackBody;
  const { title = '', description = '' } = (bodyOf(discordPost, notification) as DiscordBody).embeds[0] ?? {};
  return {
    slackMarkdown: blocks.map((block) => block.text).join(''),
    slackText: text,
    discordTitle: title,
    discordDescription: description,
    discordEmbed: title + description,
    telegramText: parsedHtml((bodyOf(telegramPost, notification) as { text: string }).text),
  };
}

const many = [
  ['letters', 'a'],
  ['words', 'word '],
  ['emoji', '😀'],
  ['ampersands', '&'],
  ['tags', '<b>'],
  ['quotes', '"'],
  ['escapes', '\u{E0041}'],
  ['code', '`a`'],
  ['bold text', '**a** '],
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
  const all = parts({ ...sampleNotification(message, 'warn', 'c'.repeat(64)), caller });
  for (const [name, { limit, source }] of Object.entries(DOCUMENTED) as [
    Limit,
    (typeof DOCUMENTED)[Limit],
  ][]) {
    expect(all[name].length, `${name}: ${source}`).toBeLessThanOrEqual(limit);
    expect(all[name].isWellFormed(), `${name} is well-formed`).toBe(true);
  }
  // What is omitted is counted.
  if (message.length > 100_000) {
    for (const name of ['slackMarkdown', 'slackText', 'discordDescription', 'telegramText'] as const) {
      expect(all[name]).toMatch(/…\[truncated \d+\]$/);
    }
  }
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

test('a long code block is closed where a chat cuts it, and its text stays code', () => {
  const code = Array.from({ length: 2000 }, (_, index) => `const line${index} = "**not bold**";`);
  const message = `Look:\n\`\`\`ts\n${code.join('\n')}\n\`\`\``;
  const all = parts(sampleNotification(message, 'warn'));
  for (const name of ['slackMarkdown', 'slackText', 'discordDescription'] as const) {
    expect(all[name]).toMatch(/";\n```\n…\[truncated \d+\]$/);
  }
  const { text } = bodyOf(telegramPost, sampleNotification(message, 'warn')) as { text: string };
  expect(text).toMatch(/<pre>const line0 [\s\S]*&quot;;\n<\/pre>\n…\[truncated \d+\]$/);
  expect(text.match(/<b>/g)).toHaveLength(1);
});
