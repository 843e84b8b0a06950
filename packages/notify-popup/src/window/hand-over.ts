import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Scheduler, systemClock } from '@deskside/core/base';
import { notifyDesktop } from '../desktop/notification.ts';
import { desktopOf, openRuntimePlace, type SystemInfo } from '../desktop/system.ts';
import type { InboxRequest } from '@deskside/desktop';
import { giveToHelper } from './news-holder.ts';
import type { DriverChoice } from './presenter.ts';

/** A server that ends has 400 ms to clean up, and waits at most this long for the helper. */
const START_TIMEOUT_MS = 200;
const START_INTERVAL_MS = 20;

/** Runs in a new Node.js process. The module's address and the name of the file follow. */
const PROGRAM = 'const [, module, file] = process.argv; await (await import(module)).showNews(file);';

export interface HandOverOptions extends DriverChoice {
  readonly plain: boolean;
  /** The folder of the browser profiles. */
  readonly profiles: string;
  /** The browser profile is deleted after the window. */
  readonly keepsNothing: boolean;
}

export interface NewsToShow {
  readonly request: InboxRequest;
  /** With the display that was found for it. */
  readonly system: SystemInfo;
}

/**
 * Gives news to the helper, a process that outlives this one: the one that runs, else a new one. It gets only a file with
 * mode 0600. If it does not start, the system's notifications show the news.
 */
export async function handOver(
  news: readonly NewsToShow[],
  system: SystemInfo,
  { presenter = 'auto', browser, ...rest }: HandOverOptions,
  clock = systemClock,
): Promise<void> {
  try {
    const place = await openRuntimePlace(system, 'news');
    const file = join(place.folder, `news-${randomUUID()}.json`);
    const shown = news.map((each) => ({ request: each.request, client: desktopOf(each.system) }));
    await writeFile(file, JSON.stringify({ presenter, browser, ...rest, news: shown }), { mode: 0o600 });
    try {
      if (!(await giveToHelper(place, basename(file), clock))) await startHelper(file, system, clock);
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
  } catch {
    await Promise.all(
      news.map(({ request, system: own }) => notifyDesktop(request.title, request.message, own)),
    );
  }
}

/** @throws if Node.js does not start, or ends before it has read the file */
async function startHelper(file: string, { node, env, home }: SystemInfo, clock: Scheduler): Promise<void> {
  const { url } = await import('./news-helper.ts');
  const args = ['--input-type=module', '--eval', PROGRAM, url, basename(file)];
  const child = spawn(node, args, {
    detached: true,
    stdio: 'ignore',
    cwd: home,
    env: { ...env },
    windowsHide: true,
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      // With 0 a helper that has just started has taken over.
      if (code !== 0) reject(new Error(`the helper ended with ${code}`));
    });
  });
  await Promise.race([failed, whenRead(file, clock)]);
  child.unref();
}

/** The helper deletes the file when it has read it. A machine that is busy starts it later. */
async function whenRead(file: string, clock: Scheduler): Promise<void> {
  const end = clock.elapsedMs() + START_TIMEOUT_MS;
  while (existsSync(file) && clock.elapsedMs() < end) {
    await new Promise<void>((resolve) => {
      clock.after(START_INTERVAL_MS, resolve);
    });
  }
}
