import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Desktop } from './testing/desktop.ts';
import { browserCommands, browserProcesses, leftovers } from './testing/leftovers.ts';
import { connectPopup, type PopupClient } from './testing/popup-client.ts';
import { missingPackages, needs } from './testing/programs.ts';
import { openSession, type Session } from './testing/session.ts';
import { becomes, until } from './testing/until.ts';

/** Places in the popup's window. */
const CANCEL = [-155, -32] as const;
const SUBMIT = [-60, -32] as const;

describe.skipIf(missingPackages.length > 0)(`a popup on a real screen${needs}`, () => {
  let session: Session;
  let home: string;
  let desktop: Desktop;
  let client: PopupClient;
  let ask: Session['ask'];
  beforeAll(async () => {
    session = await openSession();
    ({ home, desktop, client, ask } = session);
  });
  afterEach(async () => {
    await becomes(() => browserProcesses(home).length === 0, 'no browser left');
    await becomes(() => leftovers(home).length === 0, 'nothing left of the popup');
  });
  afterAll(() => session[Symbol.asyncDispose]());

  const press = <T>(key: string, answer: Promise<T>) => until(answer, () => desktop.key(key));

  test('is on top, in the middle of the screen, and its text box has the keyboard', async () => {
    const { answer } = await ask({ title: 'A title' });
    const id = desktop.popup()?.id ?? '';
    const about = () => desktop.run('xprop', '-id', id, '_NET_WM_STATE', '_NET_WM_NAME');
    await becomes(() => about().includes('_NET_WM_STATE_ABOVE'), 'above the others');
    expect(about()).toContain('"A title"');
    // Nobody else can answer: the way into the page stands in no process list.
    expect(browserCommands(home).filter((command) => /\/open\/|127\.0\.0\.1:/.test(command))).toStrictEqual(
      [],
    );
    const window = desktop.popup();
    expect(Math.abs((window?.x ?? 0) + (window?.width ?? 0) / 2 - 800)).toBeLessThan(20);
    expect(Math.abs((window?.y ?? 0) + (window?.height ?? 0) / 2 - 500)).toBeLessThan(30);
    desktop.type('blue');
    expect(await press('Return', answer)).toBe('User response: blue');
  });

  test('a reply of several lines arrives as it was typed', async () => {
    const { answer } = await ask();
    desktop.type('  if x:');
    desktop.key('shift+Return');
    desktop.type('    yes <b>&amp;</b>');
    expect(await press('Return', answer)).toBe('User response:   if x:\n    yes <b>&amp;</b>');
  });

  test('ten thousand characters that were pasted', async () => {
    const text = `Grüße 你好 👍🏽 <i>\n${'x'.repeat(9980)}`;
    const since = client.now();
    const { answer } = await ask();
    await desktop.paste(text);
    await client.logged('draft changed', since);
    expect(await press('Return', answer)).toBe(`User response: ${text}`);
  });

  test('an empty reply', async () => {
    const { answer } = await ask();
    expect(await press('Return', answer)).toBe('User submitted empty response');
  });

  test('a reply of blanks is an empty one', async () => {
    const { answer } = await ask();
    desktop.type('   ');
    expect(await until(answer, () => desktop.click(...SUBMIT))).toBe('User submitted empty response');
  });

  test('the Cancel button', async () => {
    const { answer } = await ask();
    expect(await until(answer, () => desktop.click(...CANCEL))).toBe('User cancelled the popup');
  });

  test('Escape', async () => {
    const { answer } = await ask();
    expect(await press('Escape', answer)).toBe('User cancelled the popup');
  });

  test("the window's close button", async () => {
    const { answer } = await ask();
    desktop.run('wmctrl', '-i', '-c', desktop.popup()?.id ?? '');
    expect(await answer).toBe('User dismissed the popup');
  });

  test('no answer in time; what was typed is offered the next time', async () => {
    const { answer } = await ask({ timeout: 5 });
    desktop.type('half a sen');
    expect(await answer).toBe('No response within 5s timeout');
    const next = await ask();
    desktop.key('shift+Tab', 'shift+Tab', 'space');
    expect(await press('Return', next.answer)).toBe('User response: half a sen');
  });

  test('a later question of the same session takes the place of an earlier one', async () => {
    const { answer } = await ask({ message: 'first' });
    const next = await ask({ message: 'second' });
    expect(await answer).toBe('User cancelled or dismissed the popup');
    desktop.type('to the second');
    expect(await press('Return', next.answer)).toBe('User response: to the second');
  });

  test("another process's question waits, and the window says so", async () => {
    const { answer } = await ask({ message: 'mine' });
    await using other = await connectPopup(desktop.env);
    const otherAnswer = other.notify({ message: 'theirs', timeout: 60 });
    desktop.type('one');
    expect(await press('Return', answer)).toBe('User response: one');
    await other.logged('popup shown', 0);
    await desktop.popupHasKeyboard();
    desktop.type('two');
    expect(await press('Return', otherAnswer)).toBe('User response: two');
  });

  test('the browser is killed', async () => {
    const since = client.now();
    const { answer } = await ask();
    for (const pid of browserProcesses(home)) process.kill(pid, 'SIGKILL');
    expect(await answer).toBe('User dismissed the popup');
    await client.logged('popup window lost', since);
  });

  test('the browser is stopped: the timeout answers on time all the same', async () => {
    const { answer } = await ask({ timeout: 5 });
    for (const pid of browserProcesses(home)) process.kill(pid, 'SIGSTOP');
    expect(await answer).toBe('No response within 5s timeout');
  });

  test('a cancelled call closes a window in which nothing was typed', async () => {
    const cancel = new AbortController();
    await ask({}, cancel.signal);
    expect(desktop.popup()).toBeDefined();
    cancel.abort();
    await becomes(() => desktop.popup() === undefined, 'the window is gone');
  });

  test('a cancelled call leaves a window with a draft to the person', async () => {
    const cancel = new AbortController();
    const since = client.now();
    await ask({}, cancel.signal);
    desktop.type('precious words');
    await client.logged('draft changed', since);
    cancel.abort();
    await client.logged('popup left to the person', since);
    await until(
      becomes(() => desktop.popup() === undefined, 'the window is gone'),
      () => desktop.key('Escape'),
    );
    const next = await ask();
    desktop.key('shift+Tab', 'shift+Tab', 'space');
    expect(await press('Return', next.answer)).toBe('User response: precious words');
  });

  test('a message that wants no answer returns at once and stays until it is closed', async () => {
    expect(await client.notify({ message: 'Done!', wait_for_response: false })).toBe(
      '✓ Message displayed successfully',
    );
    expect(desktop.popup()).toBeDefined();
    await until(
      becomes(() => desktop.popup() === undefined, 'the window is gone'),
      () => desktop.key('Escape'),
    );
  });

  test('a message that wants no answer gives way to the next question', async () => {
    await client.notify({ message: 'Done!', wait_for_response: false });
    const { answer } = await ask();
    expect(await press('Escape', answer)).toBe('User cancelled the popup');
  });

  test('keys that were meant for another window neither send nor cancel', async () => {
    const typing = typingElsewhere(desktop);
    const { answer } = await ask({ timeout: 20 });
    await typing;
    const early = await Promise.race([answer, Promise.resolve('no answer yet')]);
    expect(early).toBe('no answer yet');
    expect(await press('Escape', answer)).toBe('User cancelled the popup');
  });

  test('comes up on the display that the mouse is on', async () => {
    desktop.run('xrandr', '--setmonitor', 'left', '800/200x1000/250+0+0', 'screen');
    desktop.run('xrandr', '--setmonitor', 'right', '800/200x1000/250+800+0', 'none');
    desktop.run('xdotool', 'mousemove', '1200', '500');
    const { answer } = await ask();
    const { x = 0, width = 0 } = desktop.popup() ?? {};
    expect(Math.abs(x + width / 2 - 1200)).toBeLessThan(20);
    expect(await press('Escape', answer)).toBe('User cancelled the popup');
  });

  test('a client that goes takes its window with it', async () => {
    await using other = await connectPopup(desktop.env);
    other.notify({ message: 'anybody?' }).catch(() => undefined);
    await other.logged('popup shown', 0);
    expect(desktop.popup()).toBeDefined();
    await other[Symbol.asyncDispose]();
    await becomes(() => desktop.popup() === undefined, 'the window is gone');
  });

  test('a window whose server was killed closes itself', async () => {
    const other = await connectPopup(desktop.env);
    other.notify({ message: 'anybody?' }).catch(() => undefined);
    await other.logged('popup shown', 0);
    process.kill(other.pid, 'SIGKILL');
    await becomes(() => desktop.popup() === undefined, 'the window is gone');
    const { answer } = await ask();
    expect(await press('Escape', answer)).toBe('User cancelled the popup');
  });
});

/** Types without a pause, line feeds and Escape among it, into whatever has the keyboard, for some seconds. */
async function typingElsewhere({ env }: Desktop): Promise<void> {
  const keys = Array.from('the quick brown fox').map((key) => (key === ' ' ? 'space' : key));
  const words = Array.from({ length: 4 }, () => [...keys, 'Return', 'Escape']).flat();
  const child = spawn('xdotool', ['key', '--delay', '50', ...words], { env, stdio: 'ignore' });
  await once(child, 'exit');
}
