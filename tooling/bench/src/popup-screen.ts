import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A screen without a monitor, with a window manager. */
export interface Screen extends AsyncDisposable {
  readonly display: string;
  /** Resolves when there is a window on the screen. */
  hasWindow(): Promise<void>;
  /** Resolves when there is none any more. */
  isEmpty(): Promise<void>;
}

/** Needs Debian's xvfb, openbox and x11-utils. */
export async function openScreen(): Promise<Screen> {
  const xvfb = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp', '-noreset'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const [number] = await once(xvfb.stdio[3] ?? xvfb, 'data');
  const display = `:${String(number).trim()}`;
  const env = { ...process.env, DISPLAY: display };
  const openbox = spawn('openbox', [], { env, stdio: 'ignore' });
  const watcher = await watchWindows(env);
  const count = { windows: 0 };
  watcher.stdout?.on('data', (chunk: Buffer) => {
    count.windows = chunk.toString().trimEnd().split('\n').at(-1)?.match(/0x/g)?.length ?? 0;
    watcher.emit('windows');
  });
  return {
    display,
    async hasWindow() {
      while (count.windows === 0) await once(watcher, 'windows');
    },
    async isEmpty() {
      while (count.windows > 0) await once(watcher, 'windows');
    },
    async [Symbol.asyncDispose]() {
      for (const child of [watcher, openbox, xvfb]) await end(child);
    },
  };
}

/** One line for each change of the list of windows, from when the window manager is there. */
async function watchWindows(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  for (;;) {
    const watcher = spawn('stdbuf', ['-oL', 'xprop', '-root', '-spy', '_NET_CLIENT_LIST'], { env });
    const [line] = await once(watcher.stdout, 'data');
    if (String(line).includes('window id')) return watcher;
    await end(watcher);
  }
}

/** Kills a process and the group that it leads, if it leads one. */
export async function end(child: ChildProcess, isLeader = false): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  process.kill(isLeader ? -child.pid : child.pid, 'SIGKILL');
  await once(child, 'exit');
}
