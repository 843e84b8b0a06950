import { createHmac } from 'node:crypto';
import { jsonText } from '../../notification/json-line.ts';
import { datedTitle, titleOf } from '../../notification/display.ts';
import { type Notification, TARGET } from '../../notification/notification.ts';
import {
  escapeLine,
  fittingLines,
  MAX_SHOWN_CODE_POINTS,
  redactedExcerpt,
} from '../../notification/safe-text.ts';
import { defineSink, type Settings, type Template } from '../define-sink.ts';
import { address, headers, originOf, parsed, text } from '../fields.ts';
import * as z from 'zod';
import { type ServiceTemplate, templates } from './templates.ts';

/** Prefix of a base64 key in Standard Webhooks. */
const KEY_PREFIX = 'whsec_';
/** Limits of Standard Webhooks. */
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64];

/** Key that signs webhooks, in the form that every library of Standard Webhooks accepts. */
const secret = parsed(
  `use ${KEY_PREFIX} and the base64 of ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes. Create one with: echo "${KEY_PREFIX}$(openssl rand -base64 32)"`,
  (value) => (typeof value === 'string' && isKey(value) ? value : undefined),
);

function isKey(value: string): boolean {
  if (!value.startsWith(KEY_PREFIX)) return false;
  const encoded = value.slice(KEY_PREFIX.length);
  const { length } = Buffer.from(encoded, 'base64');
  // Buffer skips characters outside base64, so an invalid key could be empty.
  return z.base64().safeParse(encoded).success && length >= MIN_KEY_BYTES && length <= MAX_KEY_BYTES;
}

const CONTENT_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; charset=[\w-]+)?$/;

const TEMPLATES = ['teams', 'gotify', 'pushover'] as const satisfies readonly (keyof typeof templates)[];

export const webhook = defineSink({
  kind: 'webhook',
  schema: () => ({
    url: address,
    secret: secret.optional(),
    headers: headers().optional(),
    body: text('use a Liquid template').optional(),
    template: z.enum(TEMPLATES, { error: `use one of ${TEMPLATES.join(', ')}` }).optional(),
    token: text('use the token of the service').optional(),
    user: text('use the key of the user').optional(),
    content_type: z.string().regex(CONTENT_TYPE, { error: 'use a type such as "text/plain"' }).optional(),
  }),
  // The path of the URL often is a password.
  secrets: ['url', 'secret', 'headers', 'token', 'user'],
  variables: {
    url: { placeholder: 'URL', description: 'Any address that accepts JSON in a POST request.' },
    secret: {
      placeholder: 'SECRET',
      description: 'Signs the requests to the webhook as Standard Webhooks specifies: whsec_ and base64.',
    },
  },
  example: `
Any other address. Without "body" it gets JSON in the form of Standard Webhooks.
[[webhook]]
url = "https://example.org/notify"
secret = "whsec_…"                        # signs the requests
digest = "15m"                            # one summary per period, except for errors
body = '{"content": {{ message | json }}, "from": {{ caller | json }}}'
`,
  describe: ({ url, secret }) => `${originOf(url)}, ${secret === undefined ? 'not signed' : 'signed'}`,
  open({ template: name, ...settings }, { service, template }) {
    const known: Partial<ServiceTemplate> = name === undefined ? {} : templates[name];
    const { needs = [], tokenHeader, maxCodePoints, refusal } = known;
    const missing = needs.filter((setting) => settings[setting] === undefined);
    if (missing.length > 0) throw new Error(`the template ${name} needs ${missing.join(' and ')}`);
    const { url, secret, token = '', user = '', content_type: contentType } = settings;
    const source = settings.body ?? known.body;
    const bodyOf = source === undefined ? payload : templateBody(template(source), { token, user }, known);
    const tokens: Record<string, string> = tokenHeader === undefined ? {} : { [tokenHeader]: token };
    return service((notification, now) => {
      const { id } = notification;
      const body = bodyOf(notification, now);
      const seconds = String(Math.floor(now.getTime() / 1000));
      const signed =
        secret === undefined ? {} : { 'webhook-signature': signature(secret, id, seconds, body) };
      const own = { 'webhook-id': id, 'webhook-timestamp': seconds, ...signed };
      return { url, headers: { ...tokens, ...settings.headers, ...own }, body, contentType, refusal };
    }, maxCodePoints);
  },
});

function payload(notification: Notification): string {
  const { time, id, level, context, message, caller, project, session, client } = notification;
  const text = redactedExcerpt(message);
  return jsonText({
    type: `${TARGET}.${level}`,
    timestamp: new Date(time).toISOString(),
    // JSON has no undefined fields.
    data: { id, level, context, message: text, caller, project, session, client },
  });
}

/**
 * In the template, `message` has its line feeds and no invisible characters. `| json` quotes it for JSON.
 *
 * @param values besides those of the notification
 */
function templateBody(
  render: Template,
  values: Settings,
  { maxCodePoints = MAX_SHOWN_CODE_POINTS, fits = () => true, isDated = false }: Partial<ServiceTemplate>,
): (notification: Notification, now: Date) => string {
  return (notification, now) => {
    const { id, level, context, message } = notification;
    const { caller = '', project = '', session = '', client = '' } = notification;
    return render({
      ...values,
      id,
      level,
      context: escapeLine(context),
      caller: escapeLine(caller),
      project: escapeLine(project),
      session: escapeLine(session),
      client: escapeLine(client),
      message: fittingLines(message, maxCodePoints, fits),
      title: isDated ? datedTitle(notification, now) : titleOf(notification),
      time: new Date(notification.time).toISOString(),
      seconds: Math.floor(notification.time / 1000),
    });
  };
}

/** @returns `v1,` and the base64 of the HMAC */
function signature(secret: string, id: string, seconds: string, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}
