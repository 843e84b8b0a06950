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
  /** Local time for a person, or an ISO date for a log. */
  readonly clock: 'local' | 'iso';
}

/** Formats a notification as one line with its line feed. The only control sequences in it are our colors. */
export function terminalLine(notification: Notification, { colorsOf, clock }: LineStyle): string {
  const { time, level, message } = notification;
  const when = clock === 'iso' ? new Date(time).toISOString() : localDateTime(new Date(time));
  const caller = callerOf(notification);
  const category = `[${escapeLine(notification.context)}]`;
  const source = caller === undefined ? category : `${category} ${caller}:`;
  const text = escapeLine(message);
  /** Styles text if the stream shows colors. */
  const paint = (style: Style, plain: string) => {
    if (typeof colorsOf !== 'boolean') return styleText(style, plain, { stream: colorsOf });
    return colorsOf ? styleText(style, plain, { validateStream: false }) : plain;
  };
  const shown = level === 'error' ? paint('bold', text) : text;
  const label = paint(LEVEL_STYLES[level], level.toUpperCase().padEnd(5));
  return `${paint('dim', when)} ${label} ${paint('dim', source)} ${shown}\n`;
}
