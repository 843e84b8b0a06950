import { neutralize } from '../message/neutralize.ts';
import type { Notification } from '../message/notification.ts';
import type { Environment } from '../platform/this-process.ts';

/** The ways terminals have to show a notification of the desktop, and the bell that all of them know. */
export const ALERTS = ['osc9', 'osc777', 'osc99', 'bell'] as const;
export type Alert = (typeof ALERTS)[number];

const ESCAPE = '\u001B';
const BELL = '\u0007';
/** Ends an operating system command. */
const END = `${ESCAPE}\\`;
/** Code points an alert shows. */
const SHOWN = 200;

/** What the terminal knows, by what it says of itself in the environment. */
export function alertOf(env: Environment): Alert {
  const { TERM = '', TERM_PROGRAM = '' } = env;
  if (env['KITTY_WINDOW_ID'] !== undefined || TERM === 'xterm-kitty') return 'osc99';
  if (/^(?:iTerm\.app|WezTerm|WarpTerminal|ghostty)$/i.test(TERM_PROGRAM)) return 'osc9';
  if (env['VTE_VERSION'] !== undefined || TERM.startsWith('foot')) return 'osc777';
  return 'bell';
}

/** The bytes that raise an alert for a notification. */
export function alertBytes(alert: Alert, alerted: Notification, isInTmux: boolean): string {
  const bytes = sequence(alert, alerted);
  // tmux hands it through to the terminal around it, where `allow-passthrough` is on.
  if (!isInTmux || alert === 'bell') return bytes;
  return `${ESCAPE}Ptmux;${bytes.replaceAll(ESCAPE, ESCAPE + ESCAPE)}${END}`;
}

function sequence(alert: Alert, { id, level, context, message }: Notification): string {
  const title = `${level.toUpperCase()} ${neutralize(context, SHOWN)}`;
  const body = neutralize(message, SHOWN);
  switch (alert) {
    case 'osc9':
      // It never starts with a number: `9;4` is a progress bar.
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
