import { ACTING } from './acting.ts';
import { DEFAULT_CONTEXT, contextOf } from './contexts.ts';
import { levelOf } from './levels.ts';
import { type Notification, TARGET } from './notification.ts';

const CLEAN = /^[ -~\u00A1-\u00AC\u00AE-\u02FF]*$/;
const LIVE = new RegExp(ACTING, 'gu');

/**
 * A notification as a JSON object in one line without its line feed. Every character of the message is in it,
 * those that would act as `\uXXXX`: printing the line as it is does no harm.
 */
export function jsonLine({ id, time, level, context, message, client }: Notification): string {
  const origin = client === undefined ? '' : `,"client":${jsonText(client)}`;
  return `{"time":"${isoTime(time)}","level":"${level}","target":"${TARGET}","context":${jsonText(context)},"message":${jsonText(message)}${origin},"id":"${id}"}`;
}

/** @returns undefined for a line that is no notification */
export function readJsonLine(line: string): Notification | undefined {
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
    level: levelOf('level' in value ? value.level : undefined),
    context: 'context' in value ? contextOf(value.context) : DEFAULT_CONTEXT,
    message: value.message,
    ...('client' in value && typeof value.client === 'string' ? { client: value.client } : {}),
  };
}

/** JSON in which nothing acts when it is printed. */
export function jsonText(value: string | object): string {
  const json = JSON.stringify(value);
  return CLEAN.test(json) ? json : json.replace(LIVE, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

let lastTime = Number.NaN;
let lastIso = '';

/** Bursts share their milliseconds, and a date costs as much as the rest of the line. */
function isoTime(time: number): string {
  if (time === lastTime) return lastIso;
  lastTime = time;
  lastIso = new Date(time).toISOString();
  return lastIso;
}
