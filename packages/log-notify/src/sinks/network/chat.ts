import { titleOf } from '../../notification/display.ts';
import type { Level, Notification } from '../../notification/notification.ts';
import { escapeLines, redactedExcerpt } from '../../notification/safe-text.ts';
import type { PostFor } from './service-sink.ts';

const SYMBOLS: Readonly<Record<Level, string>> = { info: 'ℹ️', warn: '⚠️', error: '🚨' };

function heading(notification: Notification): string {
  return `${SYMBOLS[notification.level]} ${titleOf(notification)}`;
}

function textOf({ message }: Notification, limit: number): string {
  return escapeLines(redactedExcerpt(message, limit), Infinity);
}

/** Slack counts all Markdown of a message together: 12,000 characters. */
const SLACK_CODE_POINTS = 5000;

/** An incoming webhook of Slack. `text` is what its own notifications and old clients show. */
export function slack({ url }: { readonly url: URL }): PostFor {
  return (notification) => {
    const [title, message] = [heading(notification), textOf(notification, SLACK_CODE_POINTS)].map(
      slackEscape,
    );
    const blocks = [{ type: 'markdown', text: `**${title}**\n\n${message}` }];
    return { url, body: JSON.stringify({ text: `${title}\n${message}`, blocks, unfurl_links: false }) };
  };
}

/** Slack reads `<!channel>` as a mention and `<url|text>` as a link. */
function slackEscape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Discord accepts 4,096 characters in the description of an embed and 256 in its title. */
const [DISCORD_CODE_POINTS, DISCORD_UNITS, DISCORD_TITLE_UNITS] = [1900, 4096, 256];

const DISCORD_COLORS: Readonly<Record<Level, number>> = { info: 0x3b82f6, warn: 0xf59e0b, error: 0xdc2626 };

/** A webhook of Discord. Nothing in a message mentions anyone. */
export function discord({ url }: { readonly url: URL }): PostFor {
  return (notification) => ({
    url,
    body: JSON.stringify({
      embeds: [
        {
          title: heading(notification).slice(0, DISCORD_TITLE_UNITS).toWellFormed(),
          description: textOf(notification, DISCORD_CODE_POINTS).slice(0, DISCORD_UNITS).toWellFormed(),
          color: DISCORD_COLORS[notification.level],
          timestamp: new Date(notification.time).toISOString(),
        },
      ],
      allowed_mentions: { parse: [] },
    }),
  });
}

export interface TelegramOptions {
  /** Address of the Bot API server. */
  readonly url?: URL | undefined;
  readonly token: string;
  readonly chat: string;
}

const TELEGRAM_URL = new URL('https://api.telegram.org');

/** Telegram accepts 4,096 characters after it has parsed the entities. */
const TELEGRAM_CODE_POINTS = 1900;

/** A bot of Telegram. Infos make no sound. */
export function telegram({ url: base = TELEGRAM_URL, token, chat }: TelegramOptions): PostFor {
  const url = new URL(`${base.href.replace(/\/*$/, '')}/bot${token}/sendMessage`);
  return (notification) => ({
    url,
    body: JSON.stringify({
      chat_id: chat,
      text: `<b>${escapeHtml(heading(notification))}</b>\n${telegramHtml(textOf(notification, TELEGRAM_CODE_POINTS))}`,
      parse_mode: 'HTML',
      disable_notification: notification.level === 'info',
      link_preview_options: { is_disabled: true },
    }),
  });
}

/** Code blocks, code, bold text and links of Markdown. Everything else is shown as written. */
const MARKDOWN =
  /```[^\n`]*\n(?<block>[\s\S]*?)```|`(?<code>[^`\n]+)`|\*\*(?<bold>[^*\n]+)\*\*|\[(?<label>[^\]\n]+)\]\((?<link>https?:\/\/[^\s()]+)\)/g;

/** Telegram's HTML from Markdown. */
function telegramHtml(markdown: string): string {
  let html = '';
  let end = 0;
  for (const match of markdown.matchAll(MARKDOWN)) {
    const { block, code, bold, label, link } = match.groups ?? {};
    html += escapeHtml(markdown.slice(end, match.index));
    if (block !== undefined) html += `<pre>${escapeHtml(block)}</pre>`;
    else if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`;
    else if (bold !== undefined) html += `<b>${escapeHtml(bold)}</b>`;
    else html += `<a href="${escapeHtml(link ?? '')}">${escapeHtml(label ?? '')}</a>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(markdown.slice(end));
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
