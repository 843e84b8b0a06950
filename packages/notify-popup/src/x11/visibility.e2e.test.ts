import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectX11, idleMs } from '@deskside/desktop';
import { systemClock } from '@deskside/core/base';
import { pauseOfInput } from '../desktop/pause.ts';
import { testSystem } from '../testing/samples.ts';
import { type Desktop, missingPackages, needs, openDesktop, waitFor } from '../testing/desktop.ts';
import { type Visibility, watchVisibility } from './visibility.ts';

describe.skipIf(missingPackages.length > 0)(`what the person sees and does on a real screen${needs}`, () => {
  let home: string;
  let desktop: Desktop;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'popup-'));
    desktop = await openDesktop(home, { screen: '1000x800' });
  });
  afterAll(async () => {
    await desktop[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  const idle = async () => (await idleMs(session())) ?? Number.NaN;
  const session = () => testSystem({ env: desktop.env, home, x11Folder: '/tmp/.X11-unix' });

  function start(command: string, ...args: readonly string[]) {
    const child = spawn(command, args, { env: { ...desktop.env }, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  /** Opens a window. @returns its number */
  async function openWindow(name: string, geometry: string): Promise<string> {
    start('xev', '-name', name, '-geometry', geometry, '-event', 'mouse');
    const line = () => desktop.windowLines().find((text) => text.endsWith(name));
    await waitFor(() => line() !== undefined, `the window ${name}`);
    return line()?.split(' ')[0] ?? '';
  }

  /** A window that stays above others, as the popup. */
  async function openPopup(name: string) {
    const window = await openWindow(name, '300x200+100+100');
    desktop.run('wmctrl', '-i', '-r', window, '-b', 'add,above,sticky');
    const x11 = await connectX11(session());
    if (x11 === undefined) throw new Error('no X server answers');
    onTestFinished(() => x11[Symbol.dispose]());
    const seen: Visibility[] = [];
    void watchVisibility(x11, Number(window), (visibility) => void seen.push(visibility));
    const becomes = (visibility: Visibility) => waitFor(() => seen.at(-1) === visibility, visibility);
    await becomes('visible');
    return { window, seen, becomes };
  }

  test('a window is minimized until it is shown again', async () => {
    const { window, seen, becomes } = await openPopup('minimized');
    desktop.run('xdotool', 'windowminimize', window);
    await becomes('minimized');
    desktop.run('wmctrl', '-i', '-a', window);
    await becomes('visible');
    expect(seen).toStrictEqual(['visible', 'minimized', 'visible']);
  });

  test('a window is covered by a program in full screen, and not by one that is in the background', async () => {
    const { window, seen, becomes } = await openPopup('covered');
    const other = await openWindow('film', '200x200+500+100');
    desktop.run('wmctrl', '-i', '-r', other, '-b', 'add,fullscreen');
    desktop.run('wmctrl', '-i', '-a', other);
    await becomes('covered');
    desktop.run('wmctrl', '-i', '-a', window);
    await becomes('visible');
    desktop.run('wmctrl', '-i', '-a', other);
    await becomes('covered');
    desktop.run('xdotool', 'windowminimize', other);
    await becomes('visible');
    expect(seen).toHaveLength(5);
  });

  test('a window on another workspace is elsewhere, and one on all workspaces is visible', async () => {
    const { window, becomes, seen } = await openPopup('workspace');
    desktop.run('wmctrl', '-i', '-r', window, '-t', '1');
    await becomes('elsewhere');
    desktop.run('wmctrl', '-s', '1');
    await becomes('visible');
    desktop.run('xdotool', 'set_desktop_for_window', window, '-1');
    desktop.run('wmctrl', '-s', '0');
    desktop.run('wmctrl', '-k', 'on');
    await becomes('elsewhere');
    desktop.run('wmctrl', '-k', 'off');
    await becomes('visible');
    expect(seen).toStrictEqual(['visible', 'elsewhere', 'visible', 'elsewhere', 'visible']);
  });

  test('a window is locked behind a screen locker and while the screen is blank', async () => {
    const { becomes, seen } = await openPopup('locked');
    const locker = start('i3lock', '--nofork');
    await becomes('locked');
    locker.kill('SIGKILL');
    await becomes('visible');
    desktop.run('xset', 's', 'activate');
    await becomes('locked');
    desktop.run('xset', 's', 'reset');
    await becomes('visible');
    expect(seen).toStrictEqual(['visible', 'locked', 'visible', 'locked', 'visible']);
  });

  test('idle time grows without input and starts again with a key and a movement', async () => {
    for (const input of [
      ['key', 'a'],
      ['mousemove_relative', '1', '1'],
    ]) {
      await expect.poll(idle).toBeGreaterThan(1000);
      desktop.run('xdotool', ...input);
      expect(await idle()).toBeLessThan(1000);
    }
  });

  test('a pause begins when the last of several keys is old enough', async () => {
    desktop.run('xdotool', 'key', '--delay', '100', 'a', 'b', 'c', 'd');
    const began = performance.now();
    await pauseOfInput({ idleMs: idle, signal: new AbortController().signal, clock: systemClock });
    expect(await idle()).toBeGreaterThanOrEqual(1500);
    expect(performance.now() - began).toBeLessThan(9000);
  });
});
