import { escapeHtml } from '@deskside/core/base';
import { datedTitle, titleOf } from '../../notification/display.ts';
import type { Level, Notification } from '../../notification/notification.ts';
import { fittingLines } from '../../notification/safe-text.ts';
import type { PostFor } from './service-sink.ts';

const SYMBOLS: Readonly<Record<Level, string>> = { info: 'ℹ️', warn: '⚠️', error: '🚨' };

function heading({ level }: Notification, title: string): string {
  return `${SYMBOLS[level]} ${title}`;
}

/** Slack's limit for all Markdown of a message, and the length up to which `text` stays one message. */
const [SLACK_CODE_POINTS, SLACK_MARKDOWN_UNITS, SLACK_TEXT_UNITS] = [5000, 12_000, 4000];

/** An incoming webhook of Slack. `text` is what its own notifications, screen readers and old clients show. */
export function slack({ url }: { readonly url: URL }): PostFor {
  return (notification, now) => {
    const title = heading(notification, datedTitle(notification, now));
    const plain = (lines: string) => slackEscape(`${title}\n${lines}`);
    const markdown = (lines: string) => slackMarkdown(`**${title}**\n\n${lines}`);
    const excerpt = (fits: (lines: string) => boolean) =>
      fittingLines(notification.message, SLACK_CODE_POINTS, fits);
    const text = plain(excerpt((lines) => plain(lines).length <= SLACK_TEXT_UNITS));
    const block = markdown(excerpt((lines) => markdown(lines).length <= SLACK_MARKDOWN_UNITS));
    const body = {
      text,
      blocks: [{ type: 'markdown', text: block }],
      unfurl_links: false,
      unfurl_media: false,
    };
    return { url, body: JSON.stringify(body) };
  };
}

/** Slack reads `<!channel>` as a mention and `<url|text>` as a link. */
function slackEscape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** In Markdown, Slack does not decode entities in the target of a link, so `&` stays if it does not start one. */
function slackMarkdown(text: string): string {
  return text
    .replaceAll(/&(?=(?:amp|lt|gt|#\w+);)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Discord accepts 4,096 characters in the description of an embed and 256 in its title. */
const [DISCORD_CODE_POINTS, DISCORD_UNITS, DISCORD_TITLE_UNITS] = [1900, 4096, 256];

const DISCORD_COLORS: Readonly<Record<Level, number>> = { info: 0x3b82f6, warn: 0xf59e0b, error: 0xdc2626 };

/** A webhook of Discord, which shows the time of each message itself. Nothing in a message mentions anyone. */
export function discord({ url }: { readonly url: URL }): PostFor {
  return (notification) => ({
    url,
    body: JSON.stringify({
      embeds: [
        {
          // A caller with many escapes is cut.
          title: heading(notification, titleOf(notification)).slice(0, DISCORD_TITLE_UNITS).toWellFormed(),
          description: fittingLines(
            notification.message,
            DISCORD_CODE_POINTS,
            ({ length }) => length <= DISCORD_UNITS,
          ),
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

/** Telegram accepts 4,096 characters after it has parsed the HTML, which is never longer than the Markdown. */
const [TELEGRAM_CODE_POINTS, TELEGRAM_UNITS] = [1900, 4096];

/** A bot of Telegram. Infos make no sound. */
export function telegram({ url: base = TELEGRAM_URL, token, chat }: TelegramOptions): PostFor {
  const url = new URL(`${base.href.replace(/\/*$/, '')}/bot${token}/sendMessage`);
  return (notification, now) => {
    const title = heading(notification, datedTitle(notification, now));
    const fits = (lines: string) => title.length + 1 + lines.length <= TELEGRAM_UNITS;
    const lines = fittingLines(notification.message, TELEGRAM_CODE_POINTS, fits);
    const body = {
      chat_id: chat,
      text: `<b>${escapeHtml(title)}</b>\n${telegramHtml(lines)}`,
      parse_mode: 'HTML',
      disable_notification: notification.level === 'info',
      link_preview_options: { is_disabled: true },
    };
    return { url, body: JSON.stringify(body) };
  };
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
