import { visibleJson } from './visible.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, unknown>>;
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export interface LogOptions {
  readonly level: LogLevel;
  /** Takes one line with its line feed; stdout is never the place. */
  readonly write: (line: string) => void;
  readonly now?: () => Date;
}

/** One JSON object a line. Errors among the fields are written with their stack and causes. */
export function createLog({ level, write, now = () => new Date() }: LogOptions): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const logAt = (at: LogLevel) => (message: string, fields?: LogFields) => {
    if (LOG_LEVELS.indexOf(at) > threshold) return;
    const entry = JSON.stringify({ time: now().toISOString(), level: at, message, ...fields }, errorsAsText);
    write(`${visibleJson(entry)}\n`);
  };
  return { error: logAt('error'), warn: logAt('warn'), info: logAt('info'), debug: logAt('debug') };
}

export const silentLog: Log = createLog({ level: 'error', write: () => undefined });

function errorsAsText(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const stack = value.stack ?? String(value);
  return value.cause instanceof Error
    ? `${stack}\ncaused by ${value.cause.stack ?? value.cause.message}`
    : stack;
}
