import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolder } from '@deskside/core/testing';
import { choosePart, isInstalled, isRunning } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type Desktop,
  hasOtherDisplay,
  missingPackages,
  needs,
  openDesktop,
  waitFor,
} from './testing/desktop.ts';
import { connectPopup, DESK, isPainted } from './testing/session.ts';

choosePart(3);

/** A browser with a window of the popup's class that never shows its page. `$file` is the name of the file that it opens. */
const showing = (title: string) => `#!/bin/sh
for word; do case $word in --app=*) file=\${word##*/};; esac; done
xev -name Foreign > /dev/null &
until xprop -name Foreign -f WM_CLASS 8s -set WM_CLASS deskside-popup; do :; done
xprop -name Foreign -f _NET_WM_NAME 8u -set _NET_WM_NAME "${title}"
wait
`;

const DISMISSED = 'User dismissed the popup';

/**
 * The person closes the popup of a call, which can be used: one that is closed while it opens is another test.
 *
 * @param home of the server
 * @returns its answer
 */
async function dismissed(on: Desktop, answer: Promise<string>, home = on.env['HOME'] ?? ''): Promise<string> {
  await on.popupHasKeyboard();
  await waitFor(() => isPainted(home), 'the page is painted');
  await on.dismiss();
  return answer;
}

const shows = (on: Desktop, title: string) =>
  waitFor(() => on.popup()?.title.startsWith(title) === true, `the popup ${title}`);

describe.skipIf(missingPackages.length > 0)(`on a screen${needs}`, () => {
  let home: string;
  let desktop: Desktop;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'popup-'));
    desktop = await openDesktop(home);
  });
  afterAll(async () => {
    await desktop[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });

  /** What the SDK's client and Codex hand on to a server. */
  const few = () => ({ HOME: home, PATH: desktop.env['PATH'] ?? '', TERM: 'xterm' });

  const [program = ''] = DESK.args;
  const deskside = (...args: readonly string[]) =>
    execFileSync(process.execPath, [program, ...args], { env: desktop.env, encoding: 'utf8' });

  /** As Codex: its app server, and so the desk that it starts, outlives the terminal and keeps the first environment. */
  test.skipIf(hasOtherDisplay)(
    'a client of the desk that outlives its display, as the desk does, shows the next question on the display that lives',
    async () => {
      onTestFinished(() => void deskside('stop'));
      using other = temporaryFolder();
      const first = await openDesktop(other.path);
      const { DISPLAY = '', XAUTHORITY = '' } = first.env;
      const env = { ...desktop.env, DISPLAY, XAUTHORITY };
      await using client = await connectPopup(env, ['--attach-timeout', '60'], 'Example host', DESK);
      const before = client.notify({ message: 'Which one?', title: 'first' });
      await shows(first, 'first');
      expect(await dismissed(first, before, home)).toBe(DISMISSED);
      await first[Symbol.asyncDispose]();
      const after = client.notify({ message: 'And now?', title: 'next' });
      await shows(desktop, 'next');
      expect(await dismissed(desktop, after)).toBe(DISMISSED);
    },
  );

  test('a standalone server and a desk wait for each other: one popup at a time is on the screen', async () => {
    const titles = () =>
      desktop
        .windowLines()
        .filter((line) => line.includes('deskside-popup'))
        .map((line) => /\b(?:alone|shared)\b/.exec(line)?.[0] ?? line);
    const isShown = (title: string) => waitFor(() => titles().join(',') === title, `only ${title} is shown`);
    onTestFinished(() => void deskside('stop'));
    await using alone = await connectPopup(hasOtherDisplay ? desktop.env : few());
    await using shared = await connectPopup(desktop.env, ['--attach-timeout', '60'], 'Example host', DESK);
    const first = alone.notify({ message: 'Which one?', title: 'alone' });
    await alone.logged('popup shown', 0);
    const second = shared.notify({ message: 'And now?', title: 'shared' });
    expect(JSON.parse(deskside('status', '--json')).sessions).toHaveLength(1);
    await alone.logged('popup queue changed', 0);
    await isShown('alone');
    expect(await dismissed(desktop, first)).toBe(DISMISSED);
    await isShown('shared');
    expect(await dismissed(desktop, second)).toBe(DISMISSED);
  });

  test('the window of news outlives its server, counts down, and makes room for the next question', async () => {
    const first = await connectPopup(desktop.env);
    await first.notify({ message: 'Done!', title: 'first', wait_for_response: false });
    await first.logged('popup shown', 0);
    await first[Symbol.asyncDispose]();
    await waitFor(() => !isRunning(first.pid), 'the server has ended');
    // Longer than a window of a question stays without its server.
    await delay(4000);
    expect(desktop.popup()?.title).toContain('first');
    await using second = await connectPopup(desktop.env);
    const answer = second.notify({ message: 'Which one?', title: 'second' });
    await second.logged('popup shown', 0);
    await waitFor(() => desktop.windowLines().length === 1, 'the news has made room');
    expect(desktop.popup()?.title).toContain('second');
    expect(await dismissed(desktop, answer)).toBe(DISMISSED);
  });

  test('news of a server that ends before its window becomes a notification of the system', async () => {
    const folder = mkdtempSync(join(home, 'bin-'));
    writeFileSync(join(folder, 'notify-send'), `#!/bin/sh\necho "$4" >> ${folder}/notified\n`, {
      mode: 0o755,
    });
    deskside('quiet', '1h');
    const client = await connectPopup({ ...desktop.env, PATH: `${folder}:${desktop.env['PATH'] ?? ''}` });
    expect(await client.notify({ message: 'Done!', wait_for_response: false })).toContain('✓');
    await client[Symbol.asyncDispose]();
    await waitFor(() => existsSync(join(folder, 'notified')), 'the notification');
    expect(readFileSync(join(folder, 'notified'), 'utf8')).toBe('Done!\n');
    expect(desktop.popup()).toBeUndefined();
    deskside('quiet', 'off');
  });

  test('with --no-history neither the question nor the answer nor unsent text is on the disk', async () => {
    const words = ['Zanzibar', 'quagmire', 'marzipan', 'kerfuffle'] as const;
    const [title, message, reply, unsent] = words;
    for (const flags of [[], ['--no-history']]) {
      await using client = await connectPopup(desktop.env, flags);
      for (const [text, key] of [
        [unsent, 'Escape'],
        [reply, 'Return'],
      ] as const) {
        const since = client.now();
        const answer = client.notify({ message, title });
        await client.logged('popup shown', since);
        await desktop.popupHasKeyboard();
        await client.acceptsKeys(since);
        desktop.type(text);
        desktop.key(key);
        await answer;
        await client.logged('popup closed', since);
      }
      await client[Symbol.asyncDispose]();
      const found = words.filter((word) => contains(home, word));
      // The title is nowhere: it is in no history, and the profile of the browser keeps nothing.
      expect(found).toStrictEqual(flags.length === 0 ? [message, reply, unsent] : []);
      for (const folder of ['state', 'data', '.local']) {
        rmSync(join(home, folder), { recursive: true, force: true });
      }
    }
  });

  /** @param script of the browser that is found first */
  function connectWith(script: string) {
    const folder = mkdtempSync(join(home, 'bin-'));
    writeFileSync(join(folder, 'chromium'), script, { mode: 0o755 });
    return connectPopup({ ...desktop.env, PATH: `${folder}:${desktop.env['PATH'] ?? ''}` });
  }

  test('a browser that is slow to read the title of its file has time, and the title of the question', async () => {
    await using client = await connectWith(showing('$file'));
    client.notify({ message: 'Which one?', title: 'Slow' }).catch(() => undefined);
    await waitFor(() => /\bSlow$/m.test(desktop.run('wmctrl', '-l')), 'the window with the title');
    expect(client.log()).not.toContain('program shows no window');
  });

  test.skipIf(!existsSync('/usr/bin/firefox'))(
    'a browser that shows a page of its own, as a policy can make it, gives way to Firefox at once',
    async () => {
      await using client = await connectWith(showing('Chromium'));
      const answer = client.notify({ message: 'Which one?' });
      await client.logged('popup shown', 0);
      expect(client.log()).toContain('showed another page: Chromium');
      expect(await dismissed(desktop, answer)).toBe(DISMISSED);
    },
  );
});

test.skipIf(missingPackages.length > 0 || !isInstalled('i3'))(
  `in a tiling window manager a popup beside another window is centered, with its title bar on the screen${needs}`,
  async () => {
    using home = temporaryFolder();
    await using desktop = await openDesktop(home.path, { windowManager: 'i3' });
    const other = spawn('xev', [], { env: desktop.env, stdio: 'ignore' });
    onTestFinished(() => void other.kill('SIGKILL'));
    await waitFor(() => desktop.activeTitle() === 'Event Tester', 'another window has the keyboard');
    await using client = await connectPopup(desktop.env);
    for (const message of ['Which one?', 'Line\n\n'.repeat(20)]) {
      const since = client.now();
      const answer = client.notify({ message, title: 'centered' });
      await client.logged('popup shown', since);
      const wanted = () => `the popup is in the center, 500 pixels wide: ${JSON.stringify(desktop.popup())}`;
      await waitFor(() => {
        const { x = 0, y = 0, width = 0, height = 0 } = desktop.popup() ?? {};
        // The window manager centers it before it gets its own size back.
        const isCentered = Math.abs(x + width / 2 - 800) < 40 && Math.abs(y + height / 2 - 500) < 40;
        return isCentered && width === 500;
      }, wanted);
      await desktop.popupHasKeyboard();
      expect(await dismissed(desktop, answer)).toBe(DISMISSED);
    }
  },
);

/** True if the word is in a file of this folder, as UTF-8 or UTF-16. */
function contains(folder: string, word: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name));
      return bytes.includes(word) || bytes.includes(Buffer.from(word, 'utf16le'));
    });
}
