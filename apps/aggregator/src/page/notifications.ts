import { Writable } from 'node:stream';
import { parseObject } from '@deskside/core/base';
import { builtInCommands, type MountSettings } from '../mounts/built-in.ts';

export interface NotificationText {
  /** Also of its record. */
  readonly id: string;
  /** info, warn or error. */
  readonly level: string;
  readonly message: string;
}

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of log-notify in deskside.toml. */
  readonly settings: MountSettings;
}

/**
 * The newest notifications of all programs, from the file of log-notify, which its own command reads.
 *
 * @throws StartError if the file cannot be read
 */
export async function readNotifications(
  count: number,
  { env, settings }: Place,
): Promise<readonly NotificationText[]> {
  const tail = await (await builtInCommands('log'))['tail']?.load();
  if (tail === undefined || 'commands' in tail) return [];
  let text = '';
  const output = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  const context = {
    operands: [],
    env,
    settings,
    input: new Blob([]).stream(),
    output,
    closed: new AbortController().signal,
    print: () => undefined,
    note: () => undefined,
    write: () => undefined,
  };
  const flags = { lines: String(count), follow: false, json: true };
  await tail.run(flags, context);
  return text.split('\n').flatMap(notificationOf);
}

function notificationOf(line: string): readonly NotificationText[] {
  const { id, level, message } = parseObject(line) ?? {};
  return typeof id === 'string' && typeof level === 'string' && typeof message === 'string'
    ? [{ id, level, message }]
    : [];
}
