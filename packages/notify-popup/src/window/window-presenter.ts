import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@deskside/core/errors';
import { idleMs, openInBrowser, type Theme } from '@deskside/desktop';
import { watchLock } from '../desktop/lock.ts';
import type { SessionOf } from '../desktop/session.ts';
import { openRuntimeFolder, stateFolder, type SystemInfo } from '../desktop/system.ts';
import { titleLine } from '@deskside/look/html';
import type { PageServer } from '../page/page-server.ts';
import {
  CannotPresent,
  type Ending,
  type Notice,
  type PopupPresenter,
  type PopupSpec,
  type PresentedPopup,
  type Visibility,
} from '../service/presenter.ts';
import { browserDriver } from './browser.ts';
import { chromium } from './chromium.ts';
import type { DriverName, OpenWindow, WindowDriver } from './driver.ts';
import { expectedSize } from './expected-size.ts';
import { firefox } from './firefox.ts';
import { writeRedirectFile } from './redirect-file.ts';
import { webkitDriver } from './webkit.ts';

/** How long a program may take to ask for the page while another one is left. A first start takes long. */
const START_MS = 10_000;
/**
 * How long the page may take once it was asked for, in the last program, and at the second attempt: on a busy
 * machine, and after an Escape key that was meant for another window, which stops a page that is loading.
 */
const READY_MS = 20_000;
/** A window that takes longer to close is killed. On macOS a browser outlives its last window. */
export function closeTimeoutMs(platform: NodeJS.Platform): number {
  return platform === 'darwin' ? 200 : 1000;
}

export interface WindowPresenterOptions {
  readonly sessionOf: SessionOf;
  /** To try in this order. */
  readonly drivers: (system: SystemInfo) => readonly WindowDriver[];
  /** True shows messages as plain text instead of Markdown. */
  readonly plain: boolean;
  readonly systemTheme: (system: SystemInfo) => Promise<Theme>;
}

/** Shows the page in the first window that opens on this machine. */
export function windowPresenter(options: WindowPresenterOptions): PopupPresenter {
  const { sessionOf, drivers } = options;
  let reported = '';
  const shared = new SharedWindow();
  return {
    async findObstacle(log, client) {
      const session = sessionOf(client);
      const search = await session.find();
      if ('tried' in search) return { kind: 'no-display', tried: search.tried };
      const missing: string[] = [];
      for (const driver of drivers(session.system)) {
        const probe = driver.probe();
        if ('found' in probe) {
          const { display, why } = search;
          if (reported !== display) log.info('display found', { display, why, program: probe.found });
          reported = display;
          return undefined;
        }
        missing.push(probe.missing);
      }
      return { kind: 'failed', reason: missing.join(', ') || 'the chosen presenter is not for this system' };
    },
    idleMs: (client) => idleMs(sessionOf(client).system),
    present: (spec) => pageInWindow(spec, options, shared),
    closeKept: () => shared.close(),
  };
}

/** The next question has this time to take the window over. */
const TAKE_OVER_MS = 5000;

/** A window, with the page that is in it. */
interface UsedWindow {
  readonly driver: WindowDriver;
  readonly window: OpenWindow;
  readonly page: PageServer;
}

/** What popups have in common. */
class SharedWindow {
  /** What did not show its page, for example a browser that policies restrict: this process tries it last. */
  readonly failed = new Set<DriverName>();
  /** The window of an answered question, which stays for the next one. */
  #kept: { readonly used: UsedWindow; readonly end: () => Promise<void> } | undefined;
  #closing: Promise<void> | undefined;

  keep(used: UsedWindow, end: () => Promise<void>): void {
    const kept = { used, end };
    this.#kept = kept;
    setTimeout(() => {
      if (this.#kept === kept) void this.close();
    }, TAKE_OVER_MS).unref();
  }

  /** @returns undefined if none is there; one that does not fit is closed */
  async take(isWanted: boolean): Promise<UsedWindow | undefined> {
    if (!isWanted) void this.close();
    // One window at a time is on the screen.
    await this.#closing;
    const used = this.#kept?.used;
    this.#kept = undefined;
    return used;
  }

  /** @returns undefined if none is there */
  close(): Promise<void> | undefined {
    const kept = this.#kept;
    this.#kept = undefined;
    this.#closing = kept?.end().finally(() => (this.#closing = undefined)) ?? this.#closing;
    return this.#closing;
  }
}

type Attempt = UsedWindow | { readonly failure: string };

function pageInWindow(
  spec: PopupSpec,
  { sessionOf, drivers: driversOf, plain, systemTheme }: WindowPresenterOptions,
  shared: SharedWindow,
): PresentedPopup {
  const { system } = sessionOf(spec.client);
  const closing = Promise.withResolvers<false>();
  const ended = Promise.withResolvers<Ending>();
  /** The latest notice of each kind, for a page that is not ready yet. */
  const notices = new Map<Notice['kind'], Notice>();
  let isClosing = false;
  let isLocked = false;
  /** As the browser sees its page. */
  let visibility: Visibility | undefined;
  let used: UsedWindow | undefined;
  const lock = watchLock(system, (is) => {
    isLocked = is;
    reportVisibility();
  });
  const shown = show();
  // The inbox awaits it, perhaps later.
  shown.catch(() => lock[Symbol.dispose]());

  function onVisibility(current: Visibility): void {
    visibility = current;
    reportVisibility();
  }

  function reportVisibility(): void {
    const current = isLocked ? 'locked' : visibility;
    if (current !== undefined) spec.onVisibility?.(current);
  }

  async function show(): Promise<void> {
    const folder = await openRuntimeFolder(system);
    const before = await shared.take(spec.follows === true);
    const following = before && (await follow(before));
    if (following !== undefined) return ended.resolve(following.page.ended);
    const { failed } = shared;
    const hasFailed = ({ name }: WindowDriver) => Number(failed.has(name));
    const drivers = driversOf(system).toSorted((a, b) => hasFailed(a) - hasFailed(b));
    const failures = new Map<WindowDriver, string>();
    const found: (readonly [WindowDriver, string])[] = [];
    for (const driver of drivers) {
      const probe = driver.probe();
      if ('found' in probe) found.push([driver, probe.found]);
      else failures.set(driver, probe.missing);
    }
    for (const attempts of [1, 2]) {
      for (const [index, [driver, command]] of found.entries()) {
        const hasNext = found.slice(index + 1).some(([{ name }]) => !failed.has(name));
        const startMs = attempts === 2 || (found.length > 1 && !hasNext) ? READY_MS : START_MS;
        const attempt = await open(driver, command, folder, startMs);
        if ('page' in attempt) return ended.resolve(attempt.page.ended);
        if (isClosing) throw new CannotPresent('the popup was closed before it was shown');
        failures.set(driver, attempt.failure);
      }
    }
    throw new CannotPresent(drivers.map((driver) => failures.get(driver)).join(', '));
  }

  /** A failed attempt leaves no process and no file. */
  async function open(
    driver: WindowDriver,
    command: string,
    folder: string,
    startMs: number,
  ): Promise<Attempt> {
    const size = expectedSize(spec);
    // Other browsers count it by their zoom.
    const page = await openPage(driver, driver.name === 'chromium' ? size.width : undefined);
    const redirectFile = join(folder, `popup-${randomUUID()}.html`);
    let failure = 'showed nothing';
    let isOpening = true;
    let isOpen = false;
    const foreign = Promise.withResolvers<false>();
    try {
      const { theme, title, kind } = spec.question;
      await writeRedirectFile(redirectFile, page.addresses, spec.question);
      const window = await driver.open(command, {
        redirectFile,
        theme,
        title: titleLine(title),
        size,
        takesKeyboard: kind !== 'news',
        painted: page.ready,
        isUsed: () => page.isUsed,
        onOpen: () => void (isOpen = true),
        onForeign(other) {
          failure = `showed another page: ${other}`;
          foreign.resolve(false);
        },
      });
      const gone = window.gone.then((code) => {
        // Later the page says it. That a person closes a window early is no fault of its program.
        const isEarly = isOpening && (isOpen || page.isRequested);
        const wasClosed = code === 0 && (driver.exitCodeMeansClosed || isEarly);
        page.windowGone(wasClosed);
        return wasClosed;
      });
      void page.ready.then(() => (isOpening = false));
      if (await shows(page, startMs, gone, foreign.promise)) {
        shared.failed.delete(driver.name);
        return use({ driver, window, page });
      }
      await window.kill();
    } catch (error) {
      failure = `did not start (${messageOf(error)})`;
    } finally {
      await rm(redirectFile, { force: true });
    }
    await page.close();
    if (!isClosing && !shared.failed.has(driver.name)) {
      spec.log?.warn('program shows no window, tried last from now on', { program: command, failure });
      shared.failed.add(driver.name);
    }
    return { failure: `${driver.name} ${failure}` };
  }

  /** @param width of a new window */
  async function openPage({ centersWindow: centered }: WindowDriver, width?: number): Promise<PageServer> {
    // Loaded for the first question: the Markdown renderer is the largest module.
    const { openPageServer } = await import('../page/page-server.ts');
    const { theme: wanted } = spec.question;
    const theme = async () => (wanted === 'auto' ? systemTheme(system) : wanted);
    return openPageServer(
      { ...spec, onVisibility },
      {
        page: theme().then((found) => ({ theme: found, plain, centered, width })),
        openLink: (address) => void openInBrowser(system, address),
      },
    );
  }

  /** Takes over the window of the question before. @returns undefined if that failed: no window is left */
  async function follow({ driver, window, page: before }: UsedWindow): Promise<UsedWindow | undefined> {
    const page = await openPage(driver);
    const gone = window.gone.then((code) => {
      page.windowGone(driver.exitCodeMeansClosed && code === 0);
      return false;
    });
    before.go(page.addresses[0] ?? '');
    const isReady = await shows(page, START_MS, gone);
    await before.close();
    if (isReady) return use({ driver, window, page });
    await Promise.all([window.kill(), page.close()]);
    return undefined;
  }

  /** Once it was asked for, the page has more time. */
  async function shows(page: PageServer, startMs: number, ...failures: Promise<boolean>[]): Promise<boolean> {
    const within = (ms: number) => happensWithin(ms, page.ready, ...failures, closing.promise);
    return (await within(startMs)) || (page.isRequested && within(READY_MS - startMs));
  }

  function use(opened: UsedWindow): UsedWindow {
    used = opened;
    for (const notice of notices.values()) opened.page.notify(notice);
    return opened;
  }

  return {
    shown,
    ended: ended.promise,
    notify(notice) {
      notices.set(notice.kind, notice);
      used?.page.notify(notice);
    },
    leave() {
      if (used?.window.leave === undefined) return false;
      lock[Symbol.dispose]();
      used.window.leave();
      void used.page.close();
      return true;
    },
    async close() {
      isClosing = true;
      lock[Symbol.dispose]();
      closing.resolve(false);
      // The inbox reports a window that did not open.
      await shown.catch(() => undefined);
      if (used === undefined) return;
      const { page, window } = used;
      const end = async () => {
        page.requestClose();
        if (!(await happensWithin(closeTimeoutMs(system.platform), window.gone))) await window.kill();
        await page.close();
      };
      if (page.isFollowed) shared.keep(used, end);
      else await end();
    },
  };
}

/** @returns false if no event happened in time, or the value of the first one was false */
async function happensWithin(ms: number, ...events: readonly Promise<unknown>[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  const first = await Promise.race([promise, ...events]);
  clearTimeout(timer);
  return first !== false;
}

export interface DriverChoice {
  readonly presenter?: 'auto' | DriverName;
  /** Path of the browser; undefined searches for one. */
  readonly browser?: string | undefined;
  /** False: the window leaves no title of a question on the disk. */
  readonly history: boolean;
}

/** The drivers to try, in order. */
export function windowDrivers(
  { presenter = 'auto', browser, history }: DriverChoice,
  system: SystemInfo,
): WindowDriver[] {
  const folder = join(stateFolder(system), 'popup-browser');
  const options = { system, folder, keepsNothing: !history, browser };
  const drivers = [
    browserDriver(chromium, options),
    webkitDriver(system),
    browserDriver(firefox, options),
  ].filter(({ name }) => name !== 'webkit-jxa' || system.platform === 'darwin');
  if (presenter !== 'auto') return drivers.filter(({ name }) => name === presenter);
  if (browser === undefined) return drivers;
  // A browser with the arguments of another one would open its usual window, in the person's own profile.
  const isFirefox = /firefox[^\\/]*$/i.test(browser);
  const [own, other] = isFirefox ? (['firefox', 'chromium'] as const) : (['chromium', 'firefox'] as const);
  // The person named it: it comes before the web view.
  const isOwn = ({ name }: WindowDriver) => name === own;
  return [...drivers.filter(isOwn), ...drivers.filter((each) => !isOwn(each) && each.name !== other)];
}
