import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isInstalled } from '@deskside/testkit';
import { findDisplay } from '../desktop/display.ts';
import { currentSystem } from '../desktop/system.ts';
import { authorityEntry } from './x11-authority.ts';

/** Debian packages that the tests on a real screen need, by program. */
const PACKAGES = {
  Xvfb: 'xvfb',
  openbox: 'openbox',
  xdotool: 'xdotool',
  wmctrl: 'wmctrl',
  i3lock: 'i3lock',
  xclip: 'xclip',
  xrandr: 'x11-xserver-utils',
  xprop: 'x11-utils',
  chromium: 'chromium',
} as const;

/** Packages that are missing on this machine. If one is, the tests on a screen are skipped. */
export const missingPackages: readonly string[] = Object.entries(PACKAGES).flatMap(([program, name]) =>
  isInstalled(program) ? [] : [name],
);

/** For the titles of those tests. */
export const needs = missingPackages.length === 0 ? '' : ` (needs ${missingPackages.join(', ')})`;

/**
 * Whether programs without variables find a display that no test has started, for example that of a developer. Then tests of
 * such programs are skipped: their windows would open on it.
 */
export const hasOtherDisplay: boolean = 'display' in (await findDisplay({ ...currentSystem(), env: {} }));

export interface DesktopWindow {
  readonly id: string;
  /** The title of the page, after it has loaded. */
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DesktopOptions {
  readonly screen?: string;
  /** More arguments of Xvfb, for example `-fbdir FOLDER`: the pixels are then in a file. */
  readonly framebuffer?: readonly string[];
  /** Default: openbox. */
  readonly windowManager?: WindowManager;
}

/** Each runs a command when it manages windows. */
const WINDOW_MANAGERS = {
  openbox: (command: string) => ['--startup', command],
  i3: (command: string, home: string) => {
    const config = join(home, 'i3.conf');
    writeFileSync(config, `font pango:sans 10\nexec --no-startup-id ${command}\n`);
    return ['-c', config];
  },
} as const;

export type WindowManager = keyof typeof WINDOW_MANAGERS;

export type Desktop = Awaited<ReturnType<typeof openDesktop>>;

/** A virtual screen with a window manager, keyboard and mouse. */
export async function openDesktop(
  home: string,
  { screen = '1600x1000', framebuffer = [], windowManager = 'openbox' }: DesktopOptions = {},
) {
  const authority = join(home, '.Xauthority');
  // For every display: the number is not known before the server starts.
  writeFileSync(authority, authorityEntry(0xff_ff, '', '', randomBytes(16)), { mode: 0o600 });
  const xvfb = spawn(
    'Xvfb',
    // With a cookie, servers of other tests cannot find this display.
    `-displayfd 3 -screen 0 ${screen}x24 -dpi 96 -auth ${authority} -nolisten tcp -noreset`
      .split(' ')
      .concat(framebuffer),
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const [number] = await once(xvfb.stdio[3] ?? xvfb, 'data');
  const runtime = join(home, 'run');
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  const env: Readonly<Record<string, string>> = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LC_ALL: 'C.UTF-8',
    XAUTHORITY: authority,
    DISPLAY: `:${String(number).trim()}`,
    XDG_RUNTIME_DIR: runtime,
    XDG_STATE_HOME: join(home, 'state'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
  };
  // It announces itself before it manages windows.
  const started = join(home, 'window-manager-started');
  // Under another name no program takes it for the desktop of the person.
  const program = join(home, 'test-window-manager');
  symlinkSync(
    execFileSync('/bin/sh', ['-c', `command -v ${windowManager}`], { encoding: 'utf8' }).trim(),
    program,
  );
  const manager = spawn(program, WINDOW_MANAGERS[windowManager](`touch ${started}`, home), {
    env,
    stdio: 'ignore',
  });
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  await waitFor(() => existsSync(started), 'a window manager');

  /** The newest visible window of this class; undefined if none is open. */
  const windowOf = (className: string): DesktopWindow | undefined => {
    const ids = attempt(() => run('xdotool', 'search', '--onlyvisible', '--class', `^${className}$`)) ?? '';
    const id = ids.trim().split('\n').at(-1);
    const about = id ? attempt(() => run('xwininfo', '-id', id)) : undefined;
    if (!id || about === undefined) return undefined;
    const number = (name: string) => Number(new RegExp(`${name}: +(-?\\d+)`).exec(about)?.[1]);
    return {
      id,
      title: /Window id: \S+ "(.*)"/.exec(about)?.[1] ?? '',
      x: number('Absolute upper-left X'),
      y: number('Absolute upper-left Y'),
      width: number('Width'),
      height: number('Height'),
    };
  };
  /** The popup's window; undefined if none is open. */
  const popup = () => windowOf('deskside-popup');
  const hasKeyboard = () => {
    const active = attempt(() => run('xdotool', 'getactivewindow'))?.trim();
    return active !== undefined && active === popup()?.id;
  };
  /** Moves the mouse to a place in the popup's window; negative numbers count from its right and bottom edges. */
  const point = (x: number, y: number) => {
    const window = popup();
    if (window === undefined) return;
    const left = window.x + (x < 0 ? window.width + x : x);
    const top = window.y + (y < 0 ? window.height + y : y);
    attempt(() => run('xdotool', 'mousemove', String(left), String(top)));
  };
  return {
    env,
    run,
    /** Sets X resources, in the form of `xrdb`. */
    resources: (text: string) => void execFileSync('xrdb', ['-merge'], { env, input: `${text}\n` }),
    popup,
    window: windowOf,
    /** The lines of `wmctrl -lx`. None at a moment when windows come and go, in which it can fail. */
    windowLines: () => (attempt(() => run('wmctrl', '-lx'))?.trim() || undefined)?.split('\n') ?? [],
    /** The title of the window that has the keyboard; undefined if none has it. */
    activeTitle: () => attempt(() => run('xdotool', 'getactivewindow', 'getwindowname'))?.trim(),
    /** Waits for the popup, and closes it with the close button of its window. */
    async dismiss() {
      let window: DesktopWindow | undefined;
      // While other windows come and go, a search for windows can fail.
      await waitFor(() => (window = popup()) !== undefined, 'a popup to close');
      run('wmctrl', '-i', '-c', window?.id ?? '');
    },
    /** Waits until the popup has the keyboard. */
    popupHasKeyboard: () => waitFor(hasKeyboard, 'the popup has the keyboard'),
    type: (text: string) => void attempt(() => run('xdotool', 'type', '--delay', '5', '--', text)),
    key: (...names: readonly string[]) =>
      void attempt(() => run('xdotool', 'key', '--delay', '20', ...names)),
    point,
    /** As `point`. */
    click(x: number, y: number) {
      point(x, y);
      attempt(() => run('xdotool', 'click', '1'));
    },
    async [Symbol.asyncDispose]() {
      await ended(manager);
      await ended(xvfb);
    },
  };
}

/** For commands that fail only because the window does not exist yet or anymore. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Polls until a condition is true. */
export async function waitFor(
  condition: () => boolean,
  description: string | (() => string),
  timeoutMs = 40_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > end)
      throw new Error(`timed out: ${typeof description === 'string' ? description : description()}`);
    await delay(100);
  }
}
