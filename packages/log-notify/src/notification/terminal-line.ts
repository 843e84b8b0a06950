import type { Level, Notification } from './notification.ts';
import { escapeLine } from './safe-text.ts';

const RESET = '\u001B[0m';
const DIM = '\u001B[2m';
const BOLD = '\u001B[1m';
const COLORS: Readonly<Record<Level, string>> = {
  info: '\u001B[36m',
  warn: '\u001B[33m',
  error: '\u001B[1;31m',
};

export interface LineStyle {
  readonly color: boolean;
  /** `time` is local time for someone watching; `date` is an ISO date for a log. */
  readonly clock: 'time' | 'date';
}

/** Formats a notification as one line with its line feed. The only control sequences in it are our colors. */
export function terminalLine({ time, level, context, message }: Notification, style: LineStyle): string {
  const when = style.clock === 'time' ? localTime(time) : new Date(time).toISOString();
  const label = level.toUpperCase().padEnd(5);
  const category = escapeLine(context);
  const text = escapeLine(message);
  if (!style.color) return `${when} ${label} [${category}] ${text}\n`;
  const emphasized = level === 'error' ? `${BOLD}${text}${RESET}` : text;
  return `${DIM}${when}${RESET} ${COLORS[level]}${label}${RESET} ${DIM}[${category}]${RESET} ${emphasized}\n`;
}

function localTime(time: number): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
