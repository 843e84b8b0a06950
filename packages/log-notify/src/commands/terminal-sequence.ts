import type { Notification } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { findDriver, thisMachine } from '../sinks/desktop/drivers.ts';
import type { Environment } from '../sinks/sink.ts';

const ESCAPE = '\u001B';
const BELL = '\u0007';
/** Ends an operating system command. */
const END = `${ESCAPE}\\`;
const MAX_TEXT_CODE_POINTS = 200;

/** The hosts that write what a hook returns as `terminalSequence` to their terminal, also through tmux. */
const HOSTS = new Set(['Claude Code', 'Qwen Code']);

type Shown = Pick<Notification, 'client' | 'title' | 'message'>;

/**
 * The notification of the agent's own terminal, with the bell, for a session that no desktop here shows: over SSH, or
 * without a desktop. Over SSH the environment seldom says which terminal it is; most know OSC 9.
 *
 * @returns undefined if the desktop shows it, or if the host takes no sequence
 */
export function terminalSequence(
  { client = '', title = '', message }: Shown,
  env: Environment,
): string | undefined {
  const isElsewhere = Boolean(env['SSH_CONNECTION'] ?? env['SSH_TTY']);
  if (!HOSTS.has(client) || (!isElsewhere && typeof findDriver(thisMachine(env)) !== 'string'))
    return undefined;
  // It has one line.
  const line = message.replaceAll(/\n+(?:- )?/g, ' · ');
  const [head, text] = [title, line].map((each) => escapeLine(each, MAX_TEXT_CODE_POINTS));
  const hasTitles = env['VTE_VERSION'] !== undefined || /^(?:foot|rxvt)/.test(env['TERM'] ?? '');
  const sequence = hasTitles
    ? `${ESCAPE}]777;notify;${head?.replaceAll(';', ',')};${text?.replaceAll(';', ',')}${END}`
    : // It never begins with a number: `9;4` is a progress bar.
      `${ESCAPE}]9;${head}: ${text}${END}`;
  return `${sequence}${BELL}`;
}
