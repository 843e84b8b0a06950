import { closeSync, copyFileSync, mkdirSync, openSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folders } from '@deskside/core/program';
import type { HolderPlace } from '@deskside/desktop';
import { deskPlace } from './protocol.ts';

/** A log above it moves to `desk.log.1`. */
const MAX_LOG_BYTES = 1024 * 1024;

/** What belongs to the client that starts the desk, and not to the desk. */
const CLIENTS_OWN = /^(?:CLAUDE|npm_|INIT_CWD$|DESKSIDE_(?:AS|PROFILE|STANDALONE|ATTACH_TIMEOUT)$)/;

export interface DeskCommand {
  /** Up to the program's own file. */
  readonly program: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly place: HolderPlace;
  readonly logFile: string;
}

/** @throws StartError without a home folder */
export function deskCommand(program: readonly string[], env: NodeJS.ProcessEnv, uid?: number): DeskCommand {
  const { data, state } = folders(undefined, env);
  return { program, env, place: deskPlace(data, { uid }), logFile: join(state, 'desk.log') };
}

/**
 * Starts a desk that outlives this process. Returns when the desk is ready or has ended: another desk may have been
 * faster. Never rejects; also returns when the signal is aborted, and the desk continues to start.
 */
export async function startDesk(command: DeskCommand, signal: AbortSignal): Promise<void> {
  const { spawn } = await import('node:child_process');
  const log = openLog(command.logFile);
  const { promise, resolve } = Promise.withResolvers<void>();
  const [file = '', ...args] = command.program;
  const env = Object.fromEntries(Object.entries(command.env).filter(([name]) => !CLIENTS_OWN.test(name)));
  const desk = spawn(file, [...args, 'desk'], {
    cwd: command.place.folder,
    detached: true,
    env,
    stdio: ['ignore', 'pipe', log ?? 'ignore'],
    windowsHide: true,
  });
  if (log !== undefined) closeSync(log);
  desk.on('error', () => resolve());
  desk.on('exit', () => resolve());
  desk.stdout?.on('data', () => resolve());
  signal.addEventListener('abort', () => resolve(), { once: true });
  if (signal.aborted) resolve();
  await promise;
  desk.stdout?.destroy();
  desk.unref();
}

/** @returns undefined if the log cannot be written: the desk works without */
function openLog(file: string): number | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    limitLog(file);
    return openSync(file, 'a', 0o600);
  } catch {
    return undefined;
  }
}

/** The log of a desk that runs for weeks has a limit, too. */
export function withLimit(file: string, write: (text: string) => void): (text: string) => void {
  return (text) => {
    write(text);
    limitLog(file);
  };
}

function limitLog(file: string): void {
  try {
    if (statSync(file).size <= MAX_LOG_BYTES) return;
    copyFileSync(file, `${file}.1`);
    // Not renamed: the desk goes on to append to the file that it has open.
    truncateSync(file);
  } catch {
    // It does not exist, or the disk is full.
  }
}
