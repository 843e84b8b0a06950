import { escapeInvisibleJson } from '@deskside/core/text';
import { DEFAULT_CONTEXT, type Notification, TARGET, normalizeContext, parseLevel } from './notification.ts';

/**
 * Formats a notification as one line of JSON, without the line feed. Every character of the message is in it; unsafe
 * ones are written as `\uXXXX`, so printing the line is harmless.
 */
export function jsonLine({ id, time, level, context, message, client }: Notification): string {
  const origin = client === undefined ? '' : `,"client":${jsonText(client)}`;
  return `{"time":"${isoTime(time)}","level":"${level}","target":"${TARGET}","context":${jsonText(context)},"message":${jsonText(message)}${origin},"id":"${id}"}`;
}

/** @returns undefined if the line is not a notification */
export function parseJsonLine(line: string): Notification | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('message' in value)) return undefined;
  if (typeof value.message !== 'string') return undefined;
  const time = 'time' in value && typeof value.time === 'string' ? Date.parse(value.time) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  return {
    id: 'id' in value && typeof value.id === 'string' ? value.id : '',
    time,
    level: parseLevel('level' in value ? value.level : undefined),
    context: 'context' in value ? normalizeContext(value.context) : DEFAULT_CONTEXT,
    message: value.message,
    ...('client' in value && typeof value.client === 'string' ? { client: value.client } : {}),
  };
}

/** JSON that is harmless when printed. */
export function jsonText(value: string | object): string {
  return escapeInvisibleJson(JSON.stringify(value));
}

let lastTime = Number.NaN;
let lastIso = '';

/** Caches the last result: formatting a date costs as much as the rest of the line. */
function isoTime(time: number): string {
  if (time === lastTime) return lastIso;
  lastTime = time;
  lastIso = new Date(time).toISOString();
  return lastIso;
}
