import { createHmac } from 'node:crypto';
import { Liquid } from 'liquidjs';
import { jsonText } from '../../notification/json-line.ts';
import { titleOf } from '../../notification/display.ts';
import { type Notification, TARGET } from '../../notification/notification.ts';
import { escapeLine, escapeLines, redactedExcerpt } from '../../notification/safe-text.ts';
import type { PostFor } from './service-sink.ts';

export interface WebhookOptions {
  readonly url: URL;
  /** `whsec_` and base64. Undefined: requests are not signed. */
  readonly secret?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Liquid template of the body. Undefined: JSON in the form of Standard Webhooks. */
  readonly body?: string | undefined;
  readonly content_type?: string | undefined;
}

/**
 * Requests to any URL, signed as Standard Webhooks specifies: HMAC-SHA256 over id, time and body.
 *
 * @throws Error if the template is not valid
 */
export function webhook({ url, secret, headers = {}, body: template, ...options }: WebhookOptions): PostFor {
  const bodyOf = template === undefined ? payload : templateBody(template);
  return (notification, now) => {
    const body = bodyOf(notification);
    const seconds = String(Math.floor(now / 1000));
    const signed =
      secret === undefined ? {} : { 'webhook-signature': signature(secret, notification.id, seconds, body) };
    const own = { 'webhook-id': notification.id, 'webhook-timestamp': seconds, ...signed };
    return { url, headers: { ...headers, ...own }, body, contentType: options.content_type };
  };
}

function payload(notification: Notification): string {
  const { level, time } = notification;
  return jsonText({
    type: `${TARGET}.${level}`,
    timestamp: new Date(time).toISOString(),
    data: fieldsOf(notification),
  });
}

function fieldsOf({ id, level, context, message, caller, project, session, client }: Notification) {
  return {
    id,
    level,
    context,
    message: redactedExcerpt(message),
    ...(caller === undefined ? {} : { caller }),
    ...(project === undefined ? {} : { project }),
    ...(session === undefined ? {} : { session }),
    ...(client === undefined ? {} : { client }),
  };
}

/** Limits of a template: length in characters, memory in liquidjs units, rendering time in milliseconds. */
const LIMITS = { parseLimit: 100_000, memoryLimit: 1_000_000, renderLimit: 1000 };

/** In the template, `message` has its line feeds and no invisible characters. `| json` quotes it for JSON. */
function templateBody(template: string): (notification: Notification) => string {
  const liquid = new Liquid({
    ...LIMITS,
    strictFilters: true,
    strictVariables: true,
    ownPropertyOnly: true,
    // No partials, so no files.
    templates: {},
  });
  const parsed = liquid.parse(template);
  return (notification) => {
    const { id, level, context, message } = fieldsOf(notification);
    const { caller = '', project = '', session = '', client = '' } = notification;
    const values = {
      id,
      level,
      context: escapeLine(context),
      caller: escapeLine(caller),
      project: escapeLine(project),
      session: escapeLine(session),
      client: escapeLine(client),
      message: escapeLines(message, Infinity),
      title: titleOf(notification),
      time: new Date(notification.time).toISOString(),
    };
    return String(liquid.renderSync(parsed, values));
  };
}

/** @returns `v1,` and the base64 of the HMAC */
function signature(secret: string, id: string, seconds: string, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}
