import { setTimeout as delay } from 'node:timers/promises';
import type { Machine } from '../machine/machine.ts';
import { tidyProfile } from './browser-profile.ts';
import { DebugPipe } from './debug-pipe.ts';
import { handOver } from './hand-over.ts';
import type { OpenWindow } from './window-driver.ts';
import { startPiped } from './window-process.ts';

/** Milliseconds a browser that is starting may take to be ready. */
const READY_MS = 4000;
/** Milliseconds a window has to close when it is told to. */
const CLOSE_MS = 500;

/** A browser that runs without a window, and has one sooner than a browser that must start. */
export interface IdleBrowser {
  /** Resolves when its process has ended and its profile is tidy. */
  readonly gone: Promise<unknown>;
  /** @returns undefined where it takes no window */
  open(args: readonly string[]): Promise<OpenWindow | undefined>;
  kill(): Promise<void>;
}

/**
 * @param args with which the browser would show a window, but for the page's address
 * @returns the browser as soon as it can be ended; its windows wait until it is ready
 */
export async function startIdleBrowser(
  machine: Machine,
  command: string,
  { profile, args }: { readonly profile: string; readonly args: readonly string[] },
): Promise<IdleBrowser> {
  const started = [...args, '--no-startup-window', '--remote-debugging-pipe'];
  const browser = await startPiped(machine, command, started);
  const pipe = new DebugPipe(browser.input, browser.output);
  const ready = Promise.race([pipe.ask('Target.setDiscoverTargets', { discover: true }), browser.gone]);
  const tidied = browser.gone.then(() => tidyProfile(profile));
  return {
    gone: tidied,
    async kill() {
      await browser.kill();
      await tidied;
    },
    async open(windowArgs) {
      const isReady = await Promise.race([ready, delay(READY_MS, false, { ref: false })]);
      const page = watchPage(pipe);
      if (isReady === false || !(await handOver(profile, windowArgs))) return undefined;
      const gone = Promise.race([page.gone.then(() => null), browser.gone]);
      return {
        gone,
        async kill() {
          const { targetId } = page;
          if (targetId !== undefined) void pipe.ask('Target.closeTarget', { targetId });
          const timer = setTimeout(() => void browser.kill(), targetId === undefined ? 0 : CLOSE_MS);
          await gone;
          clearTimeout(timer);
        },
      };
    },
  };
}

/** The one page of a browser that has no other. */
interface WatchedPage {
  readonly gone: Promise<void>;
  /** Undefined as long as it is not there. */
  readonly targetId: string | undefined;
}

function watchPage(pipe: DebugPipe): WatchedPage {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  let targetId: string | undefined;
  pipe.onEvent = (method, { targetInfo, ...params }) => {
    if (method === 'Target.targetCreated' && isPage(targetInfo)) ({ targetId } = targetInfo);
    if (method === 'Target.targetDestroyed' && params['targetId'] === targetId) resolve();
  };
  return {
    gone,
    get targetId() {
      return targetId;
    },
  };
}

function isPage(info: unknown): info is { readonly targetId: string } {
  return typeof info === 'object' && info !== null && 'type' in info && info.type === 'page';
}
