import '@deskside/core/stdout';
import { isOldNode } from '@deskside/core/base';
import { flushed, standardOutput } from '@deskside/core/internal';
import { unlessStartFails } from '@deskside/core/errors';
import { readAttachArguments } from './arguments.ts';
import { forward } from './forward.ts';
import { reachDesk } from './reach.ts';
import { deskCommand, startDesk } from './start-desk.ts';
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
  const { pid, argv, env } = host;
  const settings = readAttachArguments(argv.slice(2), env);
  if (settings === undefined) return {};
  if (typeof settings === 'string') return { reason: settings };
  const { name, profile, timeoutMs: firstMs } = settings;
  const program = [host.execPath, ...host.execArgv, argv[1] ?? ''];
  const command = unlessStartFails(
    () => deskCommand(program, env, host.getuid?.()),
    ({ message }) => ({ reason: message }),
  );
  if ('reason' in command) return command;
  const introduction = {
    kind: 'session',
    version,
    session: `attach/${pid}-${Date.now().toString(36)}`,
    pid,
    name,
    profile,
    workingDirectory: workingDirectory(host),
    path: env['PATH'],
    env: desktopOf(env),
    settings: settingsOf(env),
  } as const;
  const { place, logFile } = command;
  const start = (signal: AbortSignal) => startDesk(command, signal);
  const reach = (timeoutMs: number) => reachDesk({ place, introduction, start, timeoutMs, logFile });
  const reached = await reach(firstMs);
  if ('reason' in reached) return reached;
  const note = (text: string) => host.stderr.write(`deskside stdio: ${text}\n`);
  const reachAgain = () => reach(Math.max(RECONNECT_MS, firstMs));
  const output = standardOutput();
  await forward({ host, output, socket: reached.socket, reachAgain, note });
  await flushed(output);
  return host.exit();
}

/** @returns undefined if the folder was deleted */
function workingDirectory(host: NodeJS.Process): string | undefined {
  try {
    return host.cwd();
  } catch {
    return undefined;
  }
}
