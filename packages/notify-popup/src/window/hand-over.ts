import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { platform } from 'node:os';
import { basename, join } from 'node:path';
import { notifyDesktop } from '../desktop/notification.ts';
import { openRuntimeFolder, type SystemInfo } from '../desktop/system.ts';
import type { InboxRequest } from '../service/inbox-entry.ts';
import type { DriverChoice } from './presenter.ts';

/** The name of a file with news, in the runtime folder. */
export const NEWS_FILE = /^news-[0-9a-f-]{36}\.json$/;
/** A helper that works answers within this time. */
const ANSWER_TIMEOUT_MS = 200;

/** Runs in a new Node.js process. The module's address and the name of the file follow. */
const PROGRAM = 'const [, module, file] = process.argv; await (await import(module)).showNews(file);';

export interface HandOverOptions extends DriverChoice {
  readonly plain: boolean;
  /** The folder of the browser profiles. */
  readonly profiles: string;
  /** The browser profile is deleted after the window. */
  readonly keepsNothing: boolean;
}

/**
 * Gives news to the helper, a process that outlives this one: the one that runs, else a new one. It gets only a file with
 * mode 0600. If it does not start, the system's notifications show the news.
 */
export async function handOver(
  news: readonly InboxRequest[],
  system: SystemInfo,
  { presenter = 'auto', browser, ...rest }: HandOverOptions,
): Promise<void> {
  try {
    const folder = await openRuntimeFolder(system);
    const file = join(folder, `news-${randomUUID()}.json`);
    await writeFile(file, JSON.stringify({ presenter, browser, ...rest, news }), { mode: 0o600 });
    try {
      if (!(await giveToRunningHelper(folder, basename(file)))) await startHelper(basename(file), system);
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
  } catch {
    await Promise.all(news.map(({ title, message }) => notifyDesktop(title, message, system)));
  }
}

/** @throws if Node.js does not start */
async function startHelper(file: string, { node, env, home }: SystemInfo): Promise<void> {
  const { url } = await import('./news-helper.ts');
  const args = ['--input-type=module', '--eval', PROGRAM, url, file];
  const child = spawn(node, args, {
    detached: true,
    stdio: 'ignore',
    cwd: home,
    env: { ...env },
    windowsHide: true,
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.unref();
}

/** Where the helper of this user listens. */
export function helperAddress(folder: string): string {
  return platform() === 'win32'
    ? String.raw`\\.\pipe\deskside-news-${folder.replaceAll(/\W/g, '-')}`
    : join(folder, 'news.sock');
}

/** @returns true if a helper runs and shows the news in this file */
export async function giveToRunningHelper(folder: string, file: string): Promise<boolean> {
  const socket = connect(helperAddress(folder));
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.setEncoding('utf8');
  socket.on('connect', () => socket.write(file));
  socket.on('data', () => resolve(true));
  socket.on('error', () => undefined);
  socket.on('close', () => resolve(false));
  const timer = setTimeout(() => socket.destroy(), ANSWER_TIMEOUT_MS);
  const isGiven = await promise;
  clearTimeout(timer);
  socket.destroy();
  return isGiven;
}
