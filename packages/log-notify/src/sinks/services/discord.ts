import { marked, titleOf } from '../../notification/display.ts';
import type { Level } from '../../notification/notification.ts';
import { fittingLines } from '../../notification/safe-text.ts';
import { defineSink } from '../define-sink.ts';
import { address, originOf } from '../fields.ts';

export const discord = defineSink({
  kind: 'discord',
  schema: () => ({ url: address }),
  // The URL of the webhook is its password.
  secrets: ['url'],
  variables: {
    url: {
      placeholder: 'URL',
      description: 'Webhook of a Discord channel: https://discord.com/api/webhooks/…',
    },
  },
  example: `
Discord: channel settings, Integrations, Webhooks
[[discord]]
url = "https://discord.com/api/webhooks/…"
`,
  describe: ({ url }) => originOf(url),
  // Discord shows the time of each message itself. Nothing in a message mentions anyone.
  open: ({ url }, { service }) =>
    service((notification) => {
      const { level, message, time } = notification;
      const embed = {
        // A caller with many escapes is cut.
        title: marked(notification, titleOf(notification)).slice(0, DISCORD_TITLE_UNITS).toWellFormed(),
        description: fittingLines(message, DISCORD_CODE_POINTS, ({ length }) => length <= DISCORD_UNITS),
        color: DISCORD_COLORS[level],
        timestamp: new Date(time).toISOString(),
      };
      const body = { embeds: [embed], allowed_mentions: { parse: [] } };
      return { url, body: JSON.stringify(body), refusal: DISCORD_REFUSAL };
    }, DISCORD_CODE_POINTS),
});

/** Discord accepts 4,096 characters in the description of an embed and 256 in its title. */
const [DISCORD_CODE_POINTS, DISCORD_UNITS, DISCORD_TITLE_UNITS] = [1900, 4096, 256];

/** An invalid form, an empty message, or what a filter blocks. Other codes are of the webhook or its channel. */
const DISCORD_REFUSAL =
  /^(?![\s\S]*"webhook_(?:id|token)")[\s\S]*"code":\s*(?:50035|50006|20009|200000|200001|240000)\b/;

const DISCORD_COLORS: Readonly<Record<Level, number>> = { info: 0x3b82f6, warn: 0xf59e0b, error: 0xdc2626 };
