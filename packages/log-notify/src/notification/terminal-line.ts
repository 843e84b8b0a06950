import { styleText } from 'node:util';
import { localDateTime } from '@deskside/core/dates';
import { callerOf } from './display.ts';
import type { Level, Notification } from './notification.ts';
import { escapeLine } from './safe-text.ts';

type Style = Parameters<typeof styleText>[0];

const LEVEL_STYLES: Readonly<Record<Level, Style>> = { info: 'cyan', warn: 'yellow', error: ['bold', 'red'] };

export interface LineStyle {
  /** The stream whose terminal, `TERM`, `NO_COLOR` and `FORCE_COLOR` decide about colors; true or false forces them. */
  readonly colorsOf: NodeJS.WritableStream | boolean;
  /** `time` and `local` are local time, without and with the date; `date` is an ISO date for a log. */
  readonly clock: 'time' | 'local' | 'date';
}

/** Formats a notification as one line with its line feed. The only control sequences in it are our colors. */
export function terminalLine(notification: Notification, { colorsOf, clock }: LineStyle): string {
  const { time, level, message } = notification;
  const when = whenText(time, clock);
  const { label, source } = partsOf(notification);
  const text = escapeLine(message);
  const paint = painter(colorsOf);
  const shown = level === 'error' ? paint('bold', text) : text;
  return `${paint('dim', when)} ${paint(LEVEL_STYLES[level], label)} ${paint('dim', source)} ${shown}\n`;
}

/** `WARN ` and `[safety] Claude Code · my-project:` */
export function partsOf(notification: Notification): { readonly label: string; readonly source: string } {
  const caller = callerOf(notification);
  const category = `[${escapeLine(notification.context)}]`;
  return {
    label: notification.level.toUpperCase().padEnd(5),
    source: caller === undefined ? category : `${category} ${caller}:`,
  };
}

/** Styles text if the stream shows colors. */
export function painter(colorsOf: LineStyle['colorsOf']): (style: Style, text: string) => string {
  if (colorsOf === false) return (_style, text) => text;
  if (colorsOf === true) return (style, text) => styleText(style, text, { validateStream: false });
  return (style, text) => styleText(style, text, { stream: colorsOf });
}

export function levelStyle(level: Level): Style {
  return LEVEL_STYLES[level];
}

function whenText(time: number, clock: LineStyle['clock']): string {
  if (clock === 'date') return new Date(time).toISOString();
  return clock === 'time' ? localTime(time) : localDateTime(new Date(time));
}

/** `10:30:00` */
export function localTime(time: number): string {
  return localDateTime(new Date(time)).slice(11);
}

/** `2026-11-21` */
export function localDate(time: number): string {
  return localDateTime(new Date(time)).slice(0, 10);
}
