import { escapeHtml } from '@deskside/core/text';
import { datedTitle, marked } from '../../notification/display.ts';
import { fittingLines } from '../../notification/safe-text.ts';
import { defineSink, type PostFor } from '../define-sink.ts';
import { address, parsed } from '../fields.ts';
import * as z from 'zod';

const BOT_TOKEN_ERROR = 'use the token that @BotFather shows, such as 123456:ABC-DEF';

/** Token of a Telegram bot. It becomes a part of a URL. */
const botToken = z.string({ error: BOT_TOKEN_ERROR }).regex(/^\d+:[\w-]+$/, { error: BOT_TOKEN_ERROR });

const CHAT_ERROR = 'use the number of a chat, or the @name of a channel';

/** Chat of Telegram. */
const chat = parsed(CHAT_ERROR, (value) => {
  const id = String(value);
  return /^(?:-?\d+|@\w+)$/.test(id) ? id : undefined;
});

export const telegram = defineSink({
  kind: 'telegram',
  schema: () => ({ url: address.optional(), token: botToken, chat }),
  secrets: ['token'],
  variables: {
    token: {
      placeholder: 'TOKEN',
      description: 'Token of a Telegram bot, from @BotFather. Needs LOG_NOTIFY_TELEGRAM_CHAT.',
    },
    chat: {
      placeholder: 'CHAT',
      description: 'Telegram chat that the bot writes to: a number, or the @name of a channel.',
    },
  },
  example: `
Telegram: create a bot with @BotFather, write to it, and use the id of that chat.
[[telegram]]
token = "123456:ABC…"
chat = "987654"
`,
  describe: ({ chat }) => `chat ${chat}`,
  open({ url: base = TELEGRAM_URL, token, chat }, { service }) {
    const url = new URL(`${base.href.replace(/\/*$/, '')}/bot${token}/sendMessage`);
    const postFor: PostFor = (notification, now) => {
      const title = marked(notification, datedTitle(notification, now));
      const fits = (lines: string) => title.length + 1 + lines.length <= TELEGRAM_UNITS;
      const lines = fittingLines(notification.message, TELEGRAM_CODE_POINTS, fits);
      const body = {
        chat_id: chat,
        text: `<b>${escapeHtml(title)}</b>\n${telegramHtml(lines)}`,
        parse_mode: 'HTML',
        disable_notification: notification.level === 'info',
        link_preview_options: { is_disabled: true },
      };
      return { url, body: JSON.stringify(body), refusal: TELEGRAM_REFUSAL };
    };
    return service(postFor, TELEGRAM_CODE_POINTS);
  },
});

/** Other descriptions are of the chat, its rights or the token. */
const TELEGRAM_REFUSAL = /"description":"[^"]*(?:can't parse|too long|text is empty|entit)/i;

const TELEGRAM_URL = new URL('https://api.telegram.org');

/** Telegram accepts 4,096 characters after it has parsed the HTML, which is never longer than the Markdown. */
const [TELEGRAM_CODE_POINTS, TELEGRAM_UNITS] = [1900, 4096];

/** Code blocks, code, bold text and links of Markdown. Everything else is shown as written. */
const MARKDOWN =
  /```[^\n`]*\n([\s\S]*?)```|`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\((https?:\/\/[^\s()]+)\)/g;

/** Telegram's HTML from Markdown, whose own marks stay when HTML is escaped. */
function telegramHtml(markdown: string): string {
  return escapeHtml(markdown).replaceAll(
    MARKDOWN,
    (_: string, block?: string, code?: string, bold?: string, label?: string, link?: string) => {
      if (block !== undefined) return `<pre>${block}</pre>`;
      if (code !== undefined) return `<code>${code}</code>`;
      return bold === undefined ? `<a href="${link}">${label}</a>` : `<b>${bold}</b>`;
    },
  );
}
