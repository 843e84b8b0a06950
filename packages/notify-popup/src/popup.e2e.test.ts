import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { openJournal } from '@deskside/desktop';
import { choosePart, isInstalled, signalAll } from '@deskside/testkit';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Desktop, missingPackages, needs, waitFor } from './testing/desktop.ts';
import {
  browserCommands,
  browserProcesses,
  connectPopup,
  crashReporters,
  draftsIn,
  leftovers,
  openSession,
  type PopupClient,
  type Session,
} from './testing/session.ts';

/** Positions in the popup's window. */
const CANCEL = [-145, -32] as const;

choosePart(4);

/** Prints the titles of all windows again and again, each change once. */
const TITLES = `last=; while :; do new=$(wmctrl -l | sed 's/^[^ ]* *[^ ]* *[^ ]* //'); if [ "$new" != "$last" ]; then printf '%s\\n' "$new"; last=$new; fi; done`;

/** For xdotool. A request at once after another one would be lost. */
const goTo = (id: string) => ['windowactivate', '--sync', id, 'sleep', '0.1'];

/** Closes a popup at the first moment that its window exists. */
const CLOSE_AT_ONCE = `until id=$(wmctrl -lx | grep -m 1 deskside-popup); do :; done; wmctrl -i -c "\${id%% *}"`;

describe.skipIf(missingPackages.length > 0)(`on a real screen${needs}`, () => {
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
    await waitFor(() => browserProcesses(home).length === 0, 'no browser is left');
    await waitFor(
      () => leftovers(home).length === 0,
      () => `no file of the popup is left: ${leftovers(home).join()}`,
    );
  });
  afterAll(() => session[Symbol.asyncDispose]());

  /** All titles from now on. */
  function watchTitles(): () => readonly string[] {
    let text = '';
    const watcher = spawn('/bin/bash', ['-c', TITLES], {
      env: desktop.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    watcher.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    onTestFinished(() => void watcher.kill('SIGKILL'));
    return () => [...new Set(text.split('\n').filter((line) => line !== ''))];
  }

  /** Presses each key once. */
  async function press<T>(key: string, answer: Promise<T>): Promise<T> {
    desktop.key(...key.split(' '));
    return answer;
  }

  test('a popup is on top, centered, titled, has the keyboard, and shows its address in no process list', async () => {
    const titles = watchTitles();
    const { answer } = await ask({ title: 'Deploy · 部署' });
    const [first, ...others] = titles();
    expect(first).toBe('Deploy · 部署');
    // A busy Chromium shows the used address until it has read the title of the page.
    expect(others.filter((title) => title !== first && !title.startsWith('127.0.0.1:'))).toStrictEqual([]);
    expect(desktop.popup()?.title).toBe(first);
    const id = desktop.popup()?.id ?? '';
    const about = () => desktop.run('xprop', '-id', id, '_NET_WM_STATE', '_NET_WM_NAME');
    await waitFor(() => about().includes('_NET_WM_STATE_ABOVE'), 'the window is above the others');
    expect(browserCommands(home).filter((command) => /\/open\/|127\.0\.0\.1:/.test(command))).toStrictEqual(
      [],
    );
    const window = desktop.popup();
    expect(Math.abs((window?.x ?? 0) + (window?.width ?? 0) / 2 - 800)).toBeLessThan(20);
    expect(Math.abs((window?.y ?? 0) + (window?.height ?? 0) / 2 - 500)).toBeLessThan(30);
    expect(window?.height).toBeGreaterThan(150);
    expect(window?.height).toBeLessThan(250);
    desktop.type('blue');
    expect(await press('Return', answer)).toBe('User response: blue');
  });

  test('keys and clicks that were meant for another window send nothing', async () => {
    const other = spawn('xev', ['-name', 'other', '-event', 'keyboard'], {
      env: desktop.env,
      stdio: 'ignore',
    });
    onTestFinished(() => void other.kill('SIGKILL'));
    await waitFor(() => desktop.activeTitle() === 'other', 'another window has the keyboard');
    const elsewhere = desktop.run('xdotool', 'getactivewindow').trim();
    const { answer } = await ask();
    desktop.type('ls');
    // One command: between two the machine may be busy for longer than the guard interval.
    const backAndForth = [...goTo(elsewhere), ...goTo(desktop.popup()?.id ?? '')];
    desktop.run('xdotool', ...backAndForth, 'key', 'Return', 'sleep', '0.1', ...goTo(elsewhere));
    const since = client.now();
    desktop.click(...CANCEL);
    await Promise.race([client.acceptsKeys(since), answer]);
    desktop.type('-la');
    expect(await press('Return', answer)).toBe('User response: ls-la');
  });

  test('a popup that is closed while it opens is dismissed, and its browser shows the next one', async () => {
    const since = client.now();
    const answer = client.notify({ message: 'Which one?' });
    desktop.run('/bin/bash', '-c', CLOSE_AT_ONCE);
    expect(await answer).toBe('User dismissed the popup');
    await client.logged('popup closed', since);
    expect(client.log()).not.toContain('program shows no window');
  });

  test('a minimized popup lets another process ask, and comes back', async () => {
    const { answer } = await ask({ message: 'mine' });
    const since = client.now();
    await using other = await connectPopup(desktop.env);
    desktop.run('xdotool', 'windowminimize', desktop.popup()?.id ?? '');
    const otherAnswer = other.notify({ message: 'theirs', timeout: 60 });
    await other.acceptsKeys(0);
    expect(await press('Escape', otherAnswer)).toBe('User cancelled the popup');
    await client.logged('popup shown', since);
    await client.acceptsKeys(since);
    desktop.type('one');
    expect(await press('Return', answer)).toBe('User response: one');
  });

  test('a popup counts as dismissed if its browser is killed, and no program writes a report', async () => {
    const since = client.now();
    const { answer } = await ask();
    expect(crashReporters(home)).toStrictEqual([]);
    signalAll('SIGKILL', browserProcesses(home));
    expect(await answer).toBe('User dismissed the popup');
    await client.logged('popup window lost', since);
  });

  test('a popup ends at its timeout even if its browser is stopped', async () => {
    // Below 10 s a busy machine has no time to show it at all.
    const { answer } = await ask({ timeout: 10 });
    signalAll('SIGSTOP', browserProcesses(home));
    expect(await answer).toBe('No response within 10s timeout');
  });

  test('a popup for a message without an answer closes itself, as seen, when a person uses the screen', async () => {
    const other = spawn('xev', ['-name', 'other', '-event', 'mouse'], { env: desktop.env, stdio: 'ignore' });
    onTestFinished(() => void other.kill('SIGKILL'));
    await waitFor(() => desktop.activeTitle() === 'other', 'another window has the keyboard');
    desktop.run('xdotool', 'mousemove', '5', '5');
    const since = client.now();
    await client.notify({ message: 'Done!', wait_for_response: false });
    await client.logged('popup shown', since);
    await waitFor(() => desktop.activeTitle() === 'other', 'the other window has the keyboard again');
    // The person works with the mouse. What moves before the window is visible is no sign that the person sees it.
    await waitFor(() => {
      desktop.run('xdotool', 'mousemove_relative', '--', `${performance.now() % 2 > 1 ? 1 : -1}`, '0');
      return desktop.popup() === undefined;
    }, 'the window is closed');
    const places = { state: join(home, 'state/deskside'), runtime: [] };
    await using journal = openJournal({ places, log: silentLog });
    const news = async () => (await journal.records({ kind: 'news' })).at(-1);
    await expect.poll(news).toMatchObject({ outcome: 'closed', seen: expect.any(String) });
  });

  test('a popup opens on the monitor that has the mouse', async () => {
    desktop.run('xrandr', '--setmonitor', 'left', '800/200x1000/250+0+0', 'screen');
    desktop.run('xrandr', '--setmonitor', 'right', '800/200x1000/250+800+0', 'none');
    desktop.run('xdotool', 'mousemove', '1200', '500');
    const { answer } = await ask();
    const { x = 0, width = 0 } = desktop.popup() ?? {};
    expect(Math.abs(x + width / 2 - 1200)).toBeLessThan(20);
    expect(await press('Escape', answer)).toBe('User cancelled the popup');
  });

  test('an image that another program has copied is pasted, and goes with the answer', async () => {
    const file = join(home, 'shot.png');
    await sharp({ create: { width: 80, height: 40, channels: 3, background: '#123456' } })
      .png()
      .toFile(file);
    const { result } = await ask();
    const { height = 0 } = desktop.popup() ?? {};
    const args = ['-selection', 'clipboard', '-t', 'image/png', '-i', file];
    await once(spawn('xclip', args, { env: { ...desktop.env }, stdio: 'ignore' }), 'exit');
    desktop.key('ctrl+v');
    await waitFor(() => (desktop.popup()?.height ?? 0) > height + 30, 'the image is in the window');
    await desktop.popupHasKeyboard();
    desktop.type('see');
    desktop.key('Return');
    expect((await result).content).toMatchObject([
      { type: 'text', text: 'User response: see' },
      { type: 'image', mimeType: 'image/png', data: readFileSync(file).toString('base64') },
    ]);
  });

  test('a popup that hangs closes when its client disconnects', async () => {
    await using other = await connectPopup(desktop.env);
    other.notify({ message: 'anybody?' }).catch(() => undefined);
    await other.logged('popup shown', 0);
    signalAll('SIGSTOP', browserProcesses(home));
    await other[Symbol.asyncDispose]();
    await expect.poll(() => browserProcesses(home)).toStrictEqual([]);
  });

  test('a popup closes when its server is killed, and what was typed is kept', async () => {
    const other = await connectPopup(desktop.env);
    other.notify({ message: 'anybody?' }).catch(() => undefined);
    await other.acceptsKeys(0);
    await desktop.popupHasKeyboard();
    desktop.type('slowly');
    await waitFor(() => draftsIn(home).includes('slowly'), 'the draft is stored');
    process.kill(other.pid, 'SIGKILL');
    expect(draftsIn(home)).toContain('slowly');
    await waitFor(() => desktop.popup() === undefined, 'the window is closed');
    const { answer } = await ask();
    expect(await press('Escape', answer)).toBe('User cancelled the popup');
  });
});

describe.skipIf(missingPackages.length > 0 || !isInstalled('firefox'))('a popup shown by Firefox', () => {
  let session: Session;
  let desktop: Desktop;
  beforeAll(async () => {
    session = await openSession(['--presenter', 'firefox']);
    ({ desktop } = session);
  });
  afterAll(() => session[Symbol.asyncDispose]());

  /** The window manager may give a window the keyboard once more when it goes above the others. */
  async function askOnTop() {
    const since = session.client.now();
    const asked = await session.ask({ title: 'A title' });
    await waitFor(() => desktop.popup()?.title.startsWith('A title') === true, 'the page has loaded');
    const id = desktop.popup()?.id ?? '';
    await waitFor(
      () => desktop.run('xprop', '-id', id, '_NET_WM_STATE').includes('_NET_WM_STATE_ABOVE'),
      'the window is above the others',
    );
    await session.client.acceptsKeys(since);
    return asked;
  }

  test('a popup of Firefox is on top, returns a reply, and can be closed', async () => {
    const first = await askOnTop();
    desktop.type('blue');
    desktop.key('Return');
    expect(await first.answer).toBe('User response: blue');
    const second = await askOnTop();
    await desktop.dismiss();
    expect(await second.answer).toBe('User dismissed the popup');
  });
});
