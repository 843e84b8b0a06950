import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Desktop } from './testing/desktop.ts';
import { browserCommands, browserProcesses, leftovers } from './testing/leftovers.ts';
import { connectPopup } from './testing/popup-client.ts';
import { missingPackages, needs } from './testing/programs.ts';
import { openSession, type Session } from './testing/session.ts';
import { becomes, until } from './testing/until.ts';

describe.skipIf(missingPackages.length > 0)(`a browser kept for the next popup${needs}`, () => {
  let session: Session;
  let home: string;
  let desktop: Desktop;
  beforeAll(async () => {
    session = await openSession(['--prewarm', 'after-first']);
    ({ home, desktop } = session);
  });
  afterAll(async () => {
    await session.client[Symbol.asyncDispose]();
    await becomes(() => browserProcesses(home).length === 0, 'no browser left');
    await becomes(() => leftovers(home).length === 0, 'nothing left of the popup');
    await session[Symbol.asyncDispose]();
  });

  const ask = (args: Record<string, unknown> = {}) => session.ask({ theme: 'light', ...args });

  /** Browsers that were started without a window, by their main process. */
  function idle(): string[] {
    return browserCommands(home).filter(
      (command) => command.includes('--no-startup-window') && !command.includes('--type='),
    );
  }

  async function answered(reply: string): Promise<void> {
    const { answer } = await ask();
    desktop.type(reply);
    expect(await until(answer, () => desktop.key('Return'))).toBe(`User response: ${reply}`);
    await becomes(() => desktop.popup() === undefined, 'the window is gone');
    await becomes(() => idle().length === 1, 'a browser is kept');
  }

  test('shows it where the first one was, with the keyboard, and tells its endings apart', async () => {
    await answered('first');
    const [kept] = browserProcesses(home);
    await answered('second');
    // The mouse is on another display now than when the browser started.
    desktop.run('xrandr', '--setmonitor', 'left', '800/200x1000/250+0+0', 'screen');
    desktop.run('xrandr', '--setmonitor', 'right', '800/200x1000/250+800+0', 'none');
    desktop.run('xdotool', 'mousemove', '1200', '500');
    const { answer } = await ask({ title: 'A title' });
    const { x = 0, y = 0, width = 0, height = 0, id = '', title } = desktop.popup() ?? {};
    expect(title).toBe('A title');
    expect(Math.abs(x + width / 2 - 1200)).toBeLessThan(20);
    expect(Math.abs(y + height / 2 - 500)).toBeLessThan(30);
    expect(desktop.run('xprop', '-id', id, '_NET_WM_STATE')).toContain('_NET_WM_STATE_ABOVE');
    desktop.run('wmctrl', '-i', '-c', id);
    expect(await answer).toBe('User dismissed the popup');
    const next = await ask();
    expect(await until(next.answer, () => desktop.key('Escape'))).toBe('User cancelled the popup');
    expect(browserProcesses(home)).toContain(kept);
    expect(browserCommands(home).filter((command) => /\/open\/|127\.0\.0\.1:/.test(command))).toStrictEqual(
      [],
    );
  });

  test('is not needed: where it was killed, another starts', async () => {
    await answered('before');
    const killed = browserProcesses(home);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await becomes(() => browserProcesses(home).length === 0, 'it is gone');
    await answered('after');
    expect(browserProcesses(home).filter((pid) => killed.includes(pid))).toStrictEqual([]);
  });

  test('is stopped: the timeout answers on time all the same, and the next popup comes', async () => {
    await answered('before');
    const { answer } = await ask({ timeout: 5 });
    for (const pid of browserProcesses(home)) process.kill(pid, 'SIGSTOP');
    expect(await answer).toBe('No response within 5s timeout');
    await answered('after');
  });

  test('is stopped before it has a window: another starts', async () => {
    await answered('before');
    const stopped = browserProcesses(home);
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    await answered('after');
    expect(browserProcesses(home).filter((pid) => stopped.includes(pid))).toStrictEqual([]);
  });

  test('gives way to the popup of another process, and ends with its own', async () => {
    await answered('mine');
    const other = await connectPopup(desktop.env, ['--prewarm', 'after-first']);
    const answer = other.notify({ message: 'theirs', theme: 'light' });
    await other.logged('popup shown', 0);
    await desktop.popupHasKeyboard();
    desktop.type('theirs');
    expect(await until(answer, () => desktop.key('Return'))).toBe('User response: theirs');
    await becomes(() => idle().length === 1, 'a browser is kept');
    process.kill(other.pid, 'SIGKILL');
    await becomes(() => browserProcesses(home).length === 0, 'no browser left');
    await answered('mine again');
  });
});
