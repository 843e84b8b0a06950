import { hasDisplay } from '../display/display.ts';
import type { LoopbackPage } from '../loopback/loopback-page.ts';
import type { PageLook } from '../loopback/render-page.ts';
import type { Machine } from '../machine/machine.ts';
import { runtimeFolder } from '../machine/runtime-folder.ts';
import {
  CannotPresent,
  type Ending,
  type Notice,
  type PopupPresenter,
  type PopupSpec,
  type PresentedPopup,
} from '../service/presenter.ts';
import type { Theme } from '../service/question.ts';
import { entranceFile } from './entrance-file.ts';
import { openInBrowser } from './open-link.ts';
import type { OpenWindow, WindowDriver } from './window-driver.ts';

/**
 * Milliseconds a window has to bring the page to the screen, at the first and the second attempt: Escape, meant
 * for another window, stops a browser that is about to load its page.
 */
const READY_MS = [6000, 12_000] as const;
/** Milliseconds a window has to close by itself. */
const LEAVE_MS = 1000;

export interface WindowPresenterOptions {
  readonly machine: Machine;
  /** In the order in which they are tried. */
  readonly drivers: readonly WindowDriver[];
  /** Messages as they are, instead of Markdown. */
  readonly plain: boolean;
  readonly systemTheme: () => Promise<Theme>;
}

/** Shows the loopback page in the first window that this machine can open. */
export function windowPresenter(options: WindowPresenterOptions): PopupPresenter {
  const { machine, drivers } = options;
  return {
    async obstacle() {
      if (!(await hasDisplay(machine))) return { kind: 'no-display' };
      const missing: string[] = [];
      for (const driver of drivers) {
        const probe = await driver.probe();
        if ('found' in probe) return undefined;
        missing.push(probe.missing);
      }
      return { kind: 'no-window', reason: missing.join(', ') };
    },
    present: (spec) => new PageInWindow(spec, options),
    async [Symbol.asyncDispose]() {
      await Promise.all(drivers.map(async (driver) => driver[Symbol.asyncDispose]?.()));
    },
  };
}

/** `failure` goes on from the driver's name. */
type Attempt = { readonly page: LoopbackPage } | { readonly failure: string };

class PageInWindow implements PresentedPopup {
  readonly shown: Promise<void>;
  readonly ended: Promise<Ending>;
  readonly #spec: PopupSpec;
  readonly #options: WindowPresenterOptions;
  readonly #closing = Promise.withResolvers<false>();
  /** The latest of each kind, for a page that is not there yet. */
  readonly #notices = new Map<Notice['kind'], Notice>();
  #isClosing = false;
  #page: LoopbackPage | undefined;
  #window: OpenWindow | undefined;

  constructor(spec: PopupSpec, options: WindowPresenterOptions) {
    this.#spec = spec;
    this.#options = options;
    const ended = Promise.withResolvers<Ending>();
    this.ended = ended.promise;
    this.shown = this.#show(ended.resolve);
    this.shown.catch(() => undefined);
  }

  tell(notice: Notice): void {
    this.#notices.set(notice.kind, notice);
    this.#page?.tell(notice);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#closing.resolve(false);
    await this.shown.catch(() => undefined);
    this.#page?.leave();
    if (this.#window !== undefined && !(await within(LEAVE_MS, this.#window.gone))) await this.#window.kill();
    await this.#page?.close();
  }

  async #show(resolveEnded: (ending: Promise<Ending>) => void): Promise<void> {
    const { drivers, machine } = this.#options;
    const folder = await runtimeFolder(machine);
    const failures: string[] = [];
    for (const driver of drivers) {
      const probe = await driver.probe();
      if ('missing' in probe) {
        failures.push(probe.missing);
        continue;
      }
      let failure = '';
      for (const patience of READY_MS) {
        const attempt = await this.#open(driver, probe.found, folder, patience);
        if ('page' in attempt) return resolveEnded(attempt.page.ended);
        ({ failure } = attempt);
        if (this.#isClosing) throw new CannotPresent('it was closed before it was shown');
      }
      failures.push(`${driver.name} ${failure}`);
    }
    throw new CannotPresent(failures.join(', '));
  }

  /** Nothing is left of an attempt that fails. */
  async #open(driver: WindowDriver, command: string, folder: string, patience: number): Promise<Attempt> {
    const { machine } = this.#options;
    // With its Markdown the heaviest part, and needed by questions only.
    const { openLoopbackPage } = await import('../loopback/loopback-page.ts');
    const page = await openLoopbackPage(this.#spec, {
      look: this.#look(driver),
      openLink: (address) => openInBrowser(machine, address),
    });
    const entrance = await entranceFile(folder, page.addresses);
    let failure = 'showed nothing';
    try {
      const { theme, title } = this.#spec.question;
      const window = await driver.open(command, { entrance: entrance.path, theme, title });
      const gone = window.gone.then((code) => {
        page.windowGone(driver.exitTells && code === 0);
        return false;
      });
      if (await within(patience, page.ready, gone, this.#closing.promise)) {
        this.#page = page;
        this.#window = window;
        for (const notice of this.#notices.values()) page.tell(notice);
        return { page };
      }
      await window.kill();
    } catch (error) {
      failure = `did not start (${error instanceof Error ? error.message : String(error)})`;
    } finally {
      await entrance.remove();
    }
    await page.close();
    return { failure };
  }

  async #look(driver: WindowDriver): Promise<PageLook> {
    const { theme } = this.#spec.question;
    return {
      theme: theme === 'auto' ? await this.#options.systemTheme() : theme,
      plain: this.#options.plain,
      centred: driver.centres,
    };
  }
}

/** @returns false where nothing happened in time, or the first that happened was false */
async function within(ms: number, ...events: readonly Promise<unknown>[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  const first = await Promise.race([promise, ...events]);
  clearTimeout(timer);
  return first !== false;
}
