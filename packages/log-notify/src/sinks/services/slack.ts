import { datedTitle, marked } from '../../notification/display.ts';
import { fittingLines } from '../../notification/safe-text.ts';
import { defineSink } from '../define-sink.ts';
import { address, originOf } from '../fields.ts';

export const slack = defineSink({
  kind: 'slack',
  schema: () => ({ url: address }),
  // The URL of the webhook is its password.
  secrets: ['url'],
  variables: {
    url: {
      placeholder: 'URL',
      description: 'Incoming webhook of Slack: https://hooks.slack.com/services/…',
    },
  },
  example: `
Slack: create an incoming webhook at https://api.slack.com/apps
[[slack]]
url = "https://hooks.slack.com/services/…"
`,
  describe: ({ url }) => originOf(url),
  open: ({ url }, { service }) =>
    service((notification, now) => {
      const title = marked(notification, datedTitle(notification, now));
      const plain = (lines: string) => slackEscape(`${title}\n${lines}`);
      const markdown = (lines: string) => slackMarkdown(`**${title}**\n\n${lines}`);
      const excerpt = (fits: (lines: string) => boolean) =>
        fittingLines(notification.message, SLACK_CODE_POINTS, fits);
      const block = markdown(excerpt((lines) => markdown(lines).length <= SLACK_MARKDOWN_UNITS));
      const body = {
        // What Slack's own notifications, screen readers and old clients show.
        text: plain(excerpt((lines) => plain(lines).length <= SLACK_TEXT_UNITS)),
        blocks: [{ type: 'markdown', text: block }],
        unfurl_links: false,
        unfurl_media: false,
      };
      return { url, body: JSON.stringify(body), refusal: SLACK_REFUSAL };
    }, SLACK_CODE_POINTS),
});

/** Other answers are of the channel, the webhook or the workspace. */
const SLACK_REFUSAL =
  /^(?:invalid_payload|invalid_blocks|invalid_attachments|no_text|too_many_attachments|msg_too_long)/;

/** Slack's limit for all Markdown of a message, and the length up to which `text` stays one message. */
const [SLACK_CODE_POINTS, SLACK_MARKDOWN_UNITS, SLACK_TEXT_UNITS] = [5000, 12_000, 4000];

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
