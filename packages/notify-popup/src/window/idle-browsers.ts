import type { IdleBrowser } from './idle-browser.ts';

/** Milliseconds a browser is kept for the next popup. */
const KEPT_MS = 60_000;

/** Keeps a browser without a window for a while after each popup. */
export interface IdleBrowsers {
  /** The browser that is kept for this look, if there is one; another is ended. */
  take(look: string): Promise<IdleBrowser | undefined>;
  /** Keeps a browser: the one that had the last window, else one that is started now. */
  keep(look: string, browser: IdleBrowser | Promise<IdleBrowser>): void;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Kept {
  readonly look: string;
  readonly browser: Promise<IdleBrowser | undefined>;
}

export function idleBrowsers(): IdleBrowsers {
  let kept: Kept | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Nothing is kept afterwards. */
  async function release(): Promise<{ look: string; browser: IdleBrowser } | undefined> {
    clearTimeout(timer);
    const last = kept;
    kept = undefined;
    const browser = await last?.browser;
    return last === undefined || browser === undefined ? undefined : { look: last.look, browser };
  }

  async function end(): Promise<void> {
    await (await release())?.browser.kill();
  }

  async function forgetWhenGone(mine: Kept): Promise<void> {
    await (
      await mine.browser
    )?.gone;
    if (kept === mine) kept = undefined;
  }

  return {
    async take(look) {
      const last = await release();
      if (last?.look === look) return last.browser;
      await last?.browser.kill();
      return undefined;
    },
    keep(look, browser) {
      const mine = { look, browser: Promise.resolve(browser).catch(() => undefined) };
      kept = mine;
      timer = setTimeout(() => void end(), KEPT_MS).unref();
      void forgetWhenGone(mine);
    },
    [Symbol.asyncDispose]: end,
  };
}
