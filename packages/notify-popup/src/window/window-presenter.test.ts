import { readFileSync, rmSync } from 'node:fs';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stateFolder } from '../desktop/system.ts';
import type { Ending, Notice } from '../service/presenter.ts';
import { popupSpec, testSystem } from '../testing/samples.ts';
import type { WindowDriver, WindowRequest } from './driver.ts';
import { closeTimeoutMs, windowPresenter } from './window-presenter.ts';

function driver(changes: Partial<WindowDriver>): WindowDriver {
  return {
    name: 'chromium',
    centersWindow: true,
    exitCodeMeansClosed: false,
    probe: () => ({ found: '/usr/bin/browser' }),
    open: async () => {
      throw new Error('spawn EACCES');
    },
    ...changes,
  };
}

const someSystem = () => testSystem({ home: temporaryFolder(), uid: process.getuid?.() ?? -1 });

/** A presenter with these programs, in a home folder of its own. */
function presenterOf(drivers: readonly WindowDriver[], system = someSystem()) {
  return windowPresenter({
    sessionOf: () => ({ system, find: async () => ({ display: ':0', why: 'test', variables: {} }) }),
    drivers: () => drivers,
    plain: false,
    systemTheme: async () => 'light',
  });
}

test('if no window opens, the error gives the reason of each program', async () => {
  const presenter = presenterOf([
    driver({}),
    driver({ name: 'webkit-jxa', probe: () => ({ missing: 'no osascript found' }) }),
    driver({
      name: 'firefox',
      open: async () => ({ gone: Promise.resolve(1), kill: async () => undefined }),
    }),
  ]);
  await expect(presenter.present(popupSpec()).shown).rejects.toThrow(
    'chromium did not start (spawn EACCES), no osascript found, firefox showed nothing',
  );
});

/** How many servers of this process listen. */
function listening(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
}

test('a popup whose file cannot be written gives the reason, and leaves no server', async () => {
  const system = someSystem();
  const before = listening();
  const probe = () => {
    rmSync(stateFolder(system), { recursive: true, force: true });
    return { found: '/usr/bin/browser' };
  };
  const presenter = presenterOf([driver({ probe })], system);
  await expect(presenter.present(popupSpec()).shown).rejects.toThrow(/^chromium did not start \(ENOENT/);
  expect(listening()).toBe(before);
});

test('a presenter of another platform is an obstacle with a reason', async () => {
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };
  const reason = 'the chosen presenter is not for this system';
  expect(await presenterOf([]).findObstacle(log)).toStrictEqual({ kind: 'failed', reason });
});

/** Of the page, in the file that leads to it. */
function addressIn(redirectFile: string): string {
  return /http:[^"]+/.exec(readFileSync(redirectFile, 'utf8'))?.[0] ?? '';
}

/** Loads the page as a browser does. */
async function loadPage({ redirectFile }: WindowRequest) {
  const address = addressIn(redirectFile);
  const [cookie = ''] = (await fetch(address)).headers.getSetCookie();
  const { origin } = new URL(address);
  const headers = { cookie: cookie.split(';')[0] ?? '', origin, 'sec-fetch-site': 'same-origin' };
  return {
    say: (message: object) =>
      fetch(`${origin}/message`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(message),
      }),
    /** Resolves when the page is led to the next one. */
    async isLed(): Promise<void> {
      const { body: events } = await fetch(`${origin}/events?load=1`, { headers });
      for await (const chunk of events ?? []) if (String(Buffer.from(chunk)).includes('event: go')) return;
      throw new Error('it was not');
    },
  };
}

/** Two questions, for programs of which Chromium does not show the page, and Firefox does. */
async function openedBy(chromium: WindowDriver['open']) {
  const opened: string[] = [];
  const endings: (Ending | 'open')[] = [];
  const warn = vi.fn<(message: string, fields?: object) => void>();
  const log = { debug: () => undefined, info: () => undefined, warn };
  const presenter = presenterOf([
    driver({
      open(...given) {
        opened.push('chromium');
        return chromium(...given);
      },
    }),
    driver({
      name: 'firefox',
      async open(_, request) {
        opened.push('firefox');
        const { say } = await loadPage(request);
        await say({ type: 'ready' });
        return { gone: new Promise(() => undefined), kill: async () => undefined };
      },
    }),
  ]);
  for (let question = 0; question < 2; question += 1) {
    const popup = presenter.present(popupSpec({}, { log }));
    await popup.shown;
    const open = new Promise<'open'>((resolve) => {
      setImmediate(resolve, 'open');
    });
    endings.push(await Promise.race([popup.ended, open]));
    await popup.close();
  }
  return { opened, endings, warnings: warn.mock.calls };
}

test.each([
  // A browser of an organization shows its own page, and then ends.
  ['ends without a window', 0, () => undefined],
  ['crashes after its window opened', 139, ({ onOpen }: WindowRequest) => onOpen()],
])('a program that %s is logged once, and tried last from then on', async (_, code, does) => {
  const { opened, endings, warnings } = await openedBy(async (_command, request) => {
    does(request);
    return { gone: Promise.resolve(code), kill: async () => undefined };
  });
  expect({ opened, endings }).toStrictEqual({
    opened: ['chromium', 'firefox', 'firefox'],
    endings: ['open', 'open'],
  });
  expect(warnings).toStrictEqual([
    [
      'program shows no window, tried last from now on',
      { program: '/usr/bin/browser', failure: 'showed nothing' },
    ],
  ]);
});

test.each([
  ['the window manager has it', async ({ onOpen }: WindowRequest) => onOpen()],
  ['it has asked for the page', ({ redirectFile }: WindowRequest) => fetch(addressIn(redirectFile))],
])('a window that is closed before its page is painted is dismissed once %s', async (_, opens) => {
  const result = await openedBy(async (_command, request) => {
    await opens(request);
    return { gone: Promise.resolve(0), kill: async () => undefined };
  });
  expect(result).toStrictEqual({
    opened: ['chromium', 'chromium'],
    endings: [{ kind: 'dismissed' }, { kind: 'dismissed' }],
    warnings: [],
  });
});

/** A question that can follow in the same window. */
const NEXT: Notice = {
  kind: 'waiting',
  waiting: [
    {
      id: 'next',
      caller: 'Codex',
      since: '2026-03-01T09:00:00.000Z',
      firstLine: 'And this?',
      here: true,
      follows: true,
    },
  ],
};

test('the title of a window is one line without control characters, as on its page', async () => {
  const titles: string[] = [];
  const open: WindowDriver['open'] = async (_, { title }) => {
    titles.push(title);
    throw new Error('enough');
  };
  const presenter = presenterOf([driver({ open })]);
  await expect(presenter.present(popupSpec({ title: 'a\0b\nc' })).shown).rejects.toThrow('enough');
  expect(titles[0]).toBe(String.raw`a\u{0}b c`);
});

/** A program whose windows stay until they are killed, and show nothing by themselves. */
function idleProgram(name: WindowDriver['name']) {
  const requests: WindowRequest[] = [];
  const killed: WindowRequest[] = [];
  const open: WindowDriver['open'] = async (_, request) => {
    requests.push(request);
    const { promise: gone, resolve } = Promise.withResolvers<number | null>();
    const kill = async () => {
      killed.push(request);
      resolve(null);
    };
    return { gone, kill };
  };
  return { ...driver({ name, open }), requests, killed };
}

/** Shows a popup with the first of two programs that opens a window. Only the test lets time pass. */
async function present() {
  const [first, second] = [idleProgram('chromium'), idleProgram('firefox')];
  const presenter = presenterOf([first, second]);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const ask = (follows: boolean) => {
    const popup = presenter.present(popupSpec({}, { follows }));
    onTestFinished(async () => {
      const closed = popup.close();
      await vi.advanceTimersByTimeAsync(closeTimeoutMs('linux'));
      await closed;
    });
    return popup;
  };
  const popup = ask(false);
  await opens(first.requests, 1);
  const [request] = first.requests;
  if (request === undefined) throw new Error('no window');
  const { requests, killed } = first;
  return { presenter, popup, ask, request, first: requests, killed, second: second.requests };
}

const opens = (requests: readonly WindowRequest[], count: number) =>
  vi.waitFor(() => expect(requests).toHaveLength(count), { timeout: 10_000 });

test('a program that does nothing for ten seconds gives way to the next one', async () => {
  const { first, second } = await present();
  await vi.advanceTimersByTimeAsync(10_000);
  await opens(second, 1);
  expect(first).toHaveLength(1);
});

test('a browser that has asked for the page has time to paint it, and no rival', async () => {
  const { popup, request, second } = await present();
  const { say } = await loadPage(request);
  await vi.advanceTimersByTimeAsync(19_000);
  await say({ type: 'ready' });
  await popup.shown;
  expect(second).toStrictEqual([]);
});

/** A question is answered while another one waits that can follow it. */
async function answered() {
  const presented = await present();
  const { popup, request } = presented;
  const { say, isLed } = await loadPage(request);
  await say({ type: 'ready' });
  await popup.shown;
  popup.notify(NEXT);
  await say({ type: 'submit', text: 'blue' });
  await popup.close();
  return { ...presented, isLed };
}

test('the window of an answer waits for the next question, and closes if that never comes', async () => {
  const { presenter, request, killed } = await answered();
  expect(killed).toStrictEqual([]);
  const closed = presenter.closeKept();
  await vi.advanceTimersByTimeAsync(closeTimeoutMs('linux'));
  await closed;
  expect([killed, presenter.closeKept()]).toStrictEqual([[request], undefined]);
});

test('a question of another principal never appears in the window of an answer', async () => {
  const { ask, request, first, killed } = await answered();
  ask(false);
  await opens(first, 2);
  expect(killed).toStrictEqual([request]);
});

test('a window that does not ask for the next question within ten seconds is replaced', async () => {
  const { ask, first, isLed } = await answered();
  ask(true);
  await isLed();
  await vi.advanceTimersByTimeAsync(9000);
  expect(first).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1000);
  await opens(first, 2);
});

test('on macOS, where a browser outlives its last window, a window is killed within the 400 ms of a server that ends', () => {
  expect(closeTimeoutMs('darwin')).toBeLessThan(300);
});
