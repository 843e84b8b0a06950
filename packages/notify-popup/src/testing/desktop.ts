import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { becomes } from './until.ts';

/** A screen of its own with a window manager, and a person's hands on it. */
export interface Desktop extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  type(text: string): void;
  /** Puts a text into the clipboard and pastes it. */
  paste(text: string): Promise<void>;
  key(...names: readonly string[]): void;
  /** Clicks at a place within the popup's window; negative numbers count from its right and bottom. */
  click(x: number, y: number): void;
  /** The popup's window, if there is one. */
  popup(): PopupWindow | undefined;
  /** Waits until what is typed goes to the popup. */
  popupHasKeyboard(): Promise<void>;
  run(command: string, ...args: readonly string[]): string;
}

export interface PopupWindow {
  readonly id: string;
  /** Of the page, once it is loaded. */
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export async function openDesktop(home: string, screen = '1600x1000'): Promise<Desktop> {
  const xvfb = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', `${screen}x24`, '-nolisten', 'tcp', '-noreset'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const [number] = await once(xvfb.stdio[3] ?? xvfb, 'data');
  const runtime = join(home, 'run');
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LC_ALL: 'C.UTF-8',
    DISPLAY: `:${String(number).trim()}`,
    XDG_RUNTIME_DIR: runtime,
    XDG_STATE_HOME: join(home, 'state'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
  };
  const openbox = spawn('openbox', [], { env, stdio: 'ignore' });
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  await becomes(
    () => attempt(() => run('xprop', '-root', '_NET_SUPPORTING_WM_CHECK'))?.includes('#') === true,
    'a window manager',
  );

  const popup = () => {
    const ids = attempt(() => run('xdotool', 'search', '--onlyvisible', '--class', '^deskside-popup$')) ?? '';
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
  const hasKeyboard = () => {
    const active = attempt(() => run('xdotool', 'getactivewindow'))?.trim();
    return active !== undefined && active === popup()?.id;
  };
  return {
    env,
    run,
    popup,
    popupHasKeyboard: () => becomes(hasKeyboard, 'the popup has the keyboard'),
    type: (text) => void attempt(() => run('xdotool', 'type', '--delay', '5', '--', text)),
    key: (...names) => void attempt(() => run('xdotool', 'key', '--delay', '20', ...names)),
    async paste(text) {
      const owner = spawn('xclip', ['-selection', 'clipboard', '-quiet'], {
        env,
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      owner.stdin.end(text);
      // It says that it waits for somebody to ask for the selection.
      await once(owner.stderr, 'data');
      run('xdotool', 'key', 'ctrl+v');
    },
    click(x, y) {
      const window = popup();
      if (window === undefined) return;
      const left = window.x + (x < 0 ? window.width + x : x);
      const top = window.y + (y < 0 ? window.height + y : y);
      attempt(() => run('xdotool', 'mousemove', String(left), String(top), 'click', '1'));
    },
    async [Symbol.asyncDispose]() {
      await ended(openbox);
      await ended(xvfb);
    },
  };
}

/** For what fails only because a window is not there yet, or no more. */
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
