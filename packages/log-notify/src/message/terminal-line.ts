import type { Level } from './levels.ts';
import { neutralize } from './neutralize.ts';
import type { Notification } from './notification.ts';

const RESET = '\u001B[0m';
const DIM = '\u001B[2m';
const BOLD = '\u001B[1m';
const COLOURS: Readonly<Record<Level, string>> = {
  info: '\u001B[36m',
  warn: '\u001B[33m',
  error: '\u001B[1;31m',
};

export interface LineStyle {
  readonly colour: boolean;
  /** `time` for a person who watches, `date` for a log that is read later. */
  readonly clock: 'time' | 'date';
}

/** A notification as one physical line for people, with its line feed; the only live bytes are our colours. */
export function terminalLine({ time, level, context, message }: Notification, style: LineStyle): string {
  const when = style.clock === 'time' ? localTime(time) : new Date(time).toISOString();
  const label = level.toUpperCase().padEnd(5);
  const category = neutralize(context);
  const text = neutralize(message);
  if (!style.colour) return `${when} ${label} [${category}] ${text}\n`;
  const strong = level === 'error' ? `${BOLD}${text}${RESET}` : text;
  return `${DIM}${when}${RESET} ${COLOURS[level]}${label}${RESET} ${DIM}[${category}]${RESET} ${strong}\n`;
}

function localTime(time: number): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
