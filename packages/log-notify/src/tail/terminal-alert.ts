import type { Notification } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';

/** Escape sequences by which terminals show a desktop notification, and the bell that every terminal has. */
export const ALERTS = ['osc9', 'osc777', 'osc99', 'bell'] as const;
export type Alert = (typeof ALERTS)[number];

const ESCAPE = '\u001B';
const BELL = '\u0007';
/** Ends an operating system command. */
const END = `${ESCAPE}\\`;
const MAX_ALERT_CODE_POINTS = 200;

/** Detects from the environment what the terminal supports. */
export function detectAlert(env: Readonly<Record<string, string | undefined>>): Alert {
  const { TERM = '', TERM_PROGRAM = '' } = env;
  if (env['KITTY_WINDOW_ID'] !== undefined || TERM === 'xterm-kitty') return 'osc99';
  if (/^(?:iTerm\.app|WezTerm|WarpTerminal|ghostty)$/i.test(TERM_PROGRAM)) return 'osc9';
  if (env['VTE_VERSION'] !== undefined || TERM.startsWith('foot')) return 'osc777';
  return 'bell';
}

/** The escape sequence that raises an alert. */
export function alertSequence(alert: Alert, alerted: Notification, isInTmux: boolean): string {
  const bytes = sequence(alert, alerted);
  // tmux passes it to the outer terminal if `allow-passthrough` is on.
  if (!isInTmux || alert === 'bell') return bytes;
  return `${ESCAPE}Ptmux;${bytes.replaceAll(ESCAPE, ESCAPE + ESCAPE)}${END}`;
}

function sequence(alert: Alert, { id, level, context, message }: Notification): string {
  const title = `${level.toUpperCase()} ${escapeLine(context, MAX_ALERT_CODE_POINTS)}`;
  const body = escapeLine(message, MAX_ALERT_CODE_POINTS);
  switch (alert) {
    case 'osc9':
      // The text must not start with a number: `9;4` is a progress bar.
      return `${ESCAPE}]9;${title}: ${body}${END}`;
    case 'osc777':
      return `${ESCAPE}]777;notify;${title.replaceAll(';', ',')};${body.replaceAll(';', ',')}${END}`;
    case 'osc99': {
      const key = id.replaceAll(/[^\w-]/g, '').slice(0, 40) || 'deskside';
      return `${ESCAPE}]99;i=${key}:d=0;${title}${END}${ESCAPE}]99;i=${key}:p=body;${body}${END}`;
    }
    case 'bell':
      return BELL;
  }
}
