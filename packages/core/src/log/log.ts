import { escapeInvisibleJson, firstCodePoints } from '../text/index.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, unknown>>;
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export interface LogOptions {
  readonly level: LogLevel;
  /** Writes one line, which ends with a line feed. Never write it to stdout. */
  readonly write: (line: string) => void;
  readonly now?: () => Date;
}

/** Creates a log that writes one JSON object per line. Errors are written with their stack and their cause. */
export function createLog({ level, write, now = () => new Date() }: LogOptions): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const logAt = (at: LogLevel) => (message: string, fields?: LogFields) => {
    if (LOG_LEVELS.indexOf(at) > threshold) return;
    const entry = JSON.stringify({ time: now().toISOString(), level: at, message, ...fields }, errorToText);
    write(`${escapeInvisibleJson(entry)}\n`);
  };
  return { error: logAt('error'), warn: logAt('warn'), info: logAt('info'), debug: logAt('debug') };
}

/** Cuts the texts of entries at `maxCharacters`: clients choose some of them. */
export function cutTexts(log: Log, maxCharacters: number): Log {
  const cut = (value: unknown): unknown => {
    const text = value instanceof Error ? errorToText('', value) : value;
    if (typeof text !== 'string' || text.length <= maxCharacters) return value;
    return `${firstCodePoints(text, maxCharacters)}… (${text.length} characters)`;
  };
  const cutFields = (fields: LogFields | undefined) =>
    fields && Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, cut(value)]));
  const logAt = (level: LogLevel) => (message: string, fields?: LogFields) =>
    log[level](message, cutFields(fields));
  return { error: logAt('error'), warn: logAt('warn'), info: logAt('info'), debug: logAt('debug') };
}

export const silentLog: Log = createLog({ level: 'error', write: () => undefined });

function errorToText(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const stack = value.stack ?? String(value);
  return value.cause instanceof Error
    ? `${stack}\ncaused by ${value.cause.stack ?? value.cause.message}`
    : stack;
}
