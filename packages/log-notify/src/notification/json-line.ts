import { parseObject } from '@deskside/core/base';
import { escapeInvisibleJson } from '@deskside/core/text';
import { type Notification, TARGET, normalizeContext, parseLevel } from './notification.ts';

/**
 * Formats a notification as one line of JSON, without the line feed. Every character of the message is in it; unsafe
 * ones are written as `\uXXXX`, so printing the line is harmless.
 */
export function jsonLine(notification: Notification): string {
  const { id, level, context, message, caller, project, session, client } = notification;
  const time = new Date(notification.time).toISOString();
  // JSON has no undefined fields.
  return jsonText({ time, level, target: TARGET, context, message, caller, project, session, client, id });
}

const SENDER_FIELDS = ['caller', 'project', 'session', 'client'] as const;

/** @returns undefined if the line is not a notification */
export function parseJsonLine(line: string): Notification | undefined {
  // A line that a crash cut off may be continued by the next one: then the last start of a record counts.
  const value = parseObject(line) ?? parseObject(line.slice(Math.max(0, line.lastIndexOf('{"time":')))) ?? {};
  const { id, level, context, message } = value;
  const time = typeof value['time'] === 'string' ? Date.parse(value['time']) : Number.NaN;
  if (typeof id !== 'string' || typeof message !== 'string' || Number.isNaN(time)) return undefined;
  const sender = SENDER_FIELDS.map((field) => [field, value[field]] as const);
  return {
    id,
    time,
    level: parseLevel(level),
    context: normalizeContext(context),
    message,
    ...Object.fromEntries(sender.filter((entry) => typeof entry[1] === 'string')),
  };
}

/** JSON that is harmless when printed. */
export function jsonText(value: string | object): string {
  return escapeInvisibleJson(JSON.stringify(value));
}
