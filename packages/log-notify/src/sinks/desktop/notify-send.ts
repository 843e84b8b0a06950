import type { Level } from '../../message/levels.ts';
import type { Command, DesktopText } from './driver.ts';

const URGENCY: Readonly<Record<Level, string>> = { info: 'low', warn: 'normal', error: 'critical' };
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Linux and the BSDs. The body is markup for the notification daemon, and notify-send itself reads C escapes in
 * it: `\n` as a line feed, `\033` as an escape character.
 */
export function notifySend({ level, title, body }: DesktopText): Command {
  const text = body
    .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '')
    .replaceAll('\\', String.raw`\\`);
  return {
    program: 'notify-send',
    args: ['--app-name=Deskside', `--urgency=${URGENCY[level]}`, '--', title, text],
  };
}
