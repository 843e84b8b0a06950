import '@deskside/core/stdout';
import { isOldNode } from '@deskside/core/base';
import { flushed, standardOutput } from '@deskside/core/internal';
import { unlessStartFails } from '@deskside/core/errors';
import { readAttachArguments } from './arguments.ts';
import { forward } from './forward.ts';
import type { Hello } from './hello.ts';
import { reachDesk, type Reached } from './reach.ts';
import { type DeskCommand, deskCommand, startDesk } from './start-desk.ts';
import { desktopOf, settingsOf } from './variables.ts';

/** For a desk after the first one: the client is in the middle of its work. */
const RECONNECT_MS = 10_000;

/** Why this process serves its client alone. */
export interface NotAttached {
  /** A clause for people; undefined if the command line asks for it. */
  readonly reason?: string;
}

/**
 * Runs `deskside stdio` as a client of the desk, if the command line asks for it and a desk can be reached. Without
 * the SDK and without Zod, so that it starts fast and stays small. See docs/decisions/0042.
 *
 * @returns a problem if the whole program must run instead; nothing was read from stdin then
 */
export async function attachedStdio(host: NodeJS.Process, version: string): Promise<NotAttached | undefined> {
  // The whole program reports it. This Node.js may lack what follows.
  if (isOldNode(host.versions.node)) return {};
  const settings = readAttachArguments(host.argv.slice(2), host.env);
  if (settings === undefined) return {};
  if (typeof settings === 'string') return { reason: settings };
  const command = commandOf(host);
  if (typeof command === 'string') return { reason: command };
  const session = `attach/${host.pid}-${Date.now().toString(36)}`;
  const reach = (timeoutMs: number): Promise<Reached> =>
    reachDesk({
      place: command.place,
      introduction: introduction(host, version, session, settings),
      start: (signal) => startDesk(command, signal),
      timeoutMs,
      logFile: command.logFile,
    });
  const reached = await reach(settings.timeoutMs);
  if ('reason' in reached) return reached;
  const note = (text: string) => host.stderr.write(`deskside stdio: ${text}\n`);
  const reachAgain = () => reach(Math.max(RECONNECT_MS, settings.timeoutMs));
  const output = standardOutput();
  await forward({ host, output, socket: reached.socket, reachAgain, note });
  await flushed(output);
  return host.exit();
}

/** @returns the reason why no desk can be found */
function commandOf({ execPath, execArgv, argv, env, getuid }: NodeJS.Process): DeskCommand | string {
  return unlessStartFails(
    () => deskCommand([execPath, ...execArgv, argv[1] ?? ''], env, getuid?.()),
    ({ message }) => message,
  );
}

function introduction(
  host: NodeJS.Process,
  version: string,
  session: string,
  { name, profile }: { readonly name: string | undefined; readonly profile: string | undefined },
): Hello {
  return {
    kind: 'session',
    version,
    session,
    pid: host.pid,
    name,
    profile,
    workingDirectory: workingDirectory(host),
    path: host.env['PATH'],
    env: desktopOf(host.env),
    settings: settingsOf(host.env),
  };
}

/** @returns undefined if the folder was deleted */
function workingDirectory(host: NodeJS.Process): string | undefined {
  try {
    return host.cwd();
  } catch {
    return undefined;
  }
}
