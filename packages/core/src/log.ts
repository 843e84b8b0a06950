import { inspect } from 'node:util';
import { escapeInvisibleJson, firstCodePoints } from './text/index.ts';

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

/** What a log does with an entry below its level. */
const ignore = (): void => undefined;

/** Creates a log that writes one JSON object per line. Errors are written with their stack and their cause. */
export function createLog({ level, write, now = () => new Date() }: LogOptions): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const logAt = (at: LogLevel) => {
    if (LOG_LEVELS.indexOf(at) > threshold) return ignore;
    return (message: string, fields?: LogFields) => {
      const entry = { time: now().toISOString(), level: at, message, ...fields };
      write(`${escapeInvisibleJson(toJson(entry))}\n`);
    };
  };
  return { error: logAt('error'), warn: logAt('warn'), info: logAt('info'), debug: logAt('debug') };
}

/** True if entries of this level are not written, so that no one needs to prepare them. */
export function isIgnored(log: Log, level: LogLevel): boolean {
  return log[level] === ignore;
}

/** Of a text in the log of a server. */
const MAX_TEXT_CHARACTERS = 4000;

/** Cuts the texts of entries: clients choose some of them. */
export function cutTexts(log: Log): Log {
  const logAt = (level: LogLevel) => {
    if (isIgnored(log, level)) return ignore;
    return (message: string, fields?: LogFields) => log[level](message, fields && cutFields(fields));
  };
  return { error: logAt('error'), warn: logAt('warn'), info: logAt('info'), debug: logAt('debug') };
}

function cutFields(fields: LogFields): LogFields {
  const values = Object.values(fields);
  if (values.every((value) => value === cut(value))) return fields;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cut(value)]));
}

function cut(value: unknown): unknown {
  const text = value instanceof Error ? errorToText('', value) : value;
  if (typeof text !== 'string' || text.length <= MAX_TEXT_CHARACTERS) return value;
  return `${firstCodePoints(text, MAX_TEXT_CHARACTERS)}… (${text.length} characters)`;
}

export const silentLog: Log = createLog({ level: 'error', write: () => undefined });

/** A replacer makes JSON.stringify several times slower, and most entries contain only texts and numbers. */
function toJson(entry: Readonly<Record<string, unknown>>): string {
  const isFlat = Object.values(entry).every((value) => typeof value !== 'object');
  try {
    return JSON.stringify(entry, isFlat ? undefined : errorToText);
  } catch {
    // A log must not fail: anything can be thrown, also what JSON cannot express.
    return JSON.stringify(
      Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, shown(value)])),
    );
  }
}

function shown(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'number' ? value : inspect(value);
}

function errorToText(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const stack = value.stack ?? String(value);
  return value.cause instanceof Error
    ? `${stack}\ncaused by ${value.cause.stack ?? value.cause.message}`
    : stack;
}
