import { readFile } from 'node:fs/promises';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { desktopSession } from '../desktop/session.ts';
import { popupSpec, testSystem } from '../testing/samples.ts';
import type { DriverName, WindowDriver, WindowRequest } from './driver.ts';
import { closeTimeoutMs, windowPresenter } from './window-presenter.ts';

/** A program that opens nothing by itself. */
function idleProgram(name: DriverName) {
  const requests: WindowRequest[] = [];
  const driver: WindowDriver = {
    name,
    centersWindow: true,
    exitCodeMeansClosed: false,
    probe: async () => ({ found: name }),
    async open(_command, request) {
      requests.push(request);
      const { promise: gone, resolve } = Promise.withResolvers<number | null>();
      return { gone, kill: async () => resolve(null) };
    },
  };
  return { driver, requests };
}

/** Loads the page as a browser does. */
async function load({ redirectFile }: WindowRequest) {
  const [address = ''] = /http:[^"]+/.exec(await readFile(redirectFile, 'utf8')) ?? [];
  const { headers } = await fetch(address);
  const [cookie = ''] = headers.getSetCookie();
  const { origin } = new URL(address);
  const common = { cookie: cookie.split(';')[0] ?? '', origin, 'sec-fetch-site': 'same-origin' };
  const { body: events } = await fetch(`${origin}/events?load=1`, { headers: common });
  return {
    say: (message: object) =>
      fetch(`${origin}/message`, {
        method: 'POST',
        headers: { ...common, 'content-type': 'application/json' },
        body: JSON.stringify(message),
      }),
    /** Resolves when the page is led to the next one. */
    async isLed(): Promise<void> {
      for await (const chunk of events ?? []) if (String(Buffer.from(chunk)).includes('event: go')) return;
      throw new Error('it was not');
    },
  };
}

const opens = (requests: readonly WindowRequest[], count: number) =>
  vi.waitFor(() => expect(requests).toHaveLength(count), { timeout: 10_000 });

/** Shows a popup with the first of two programs that opens a window. Only the test lets time pass. */
function present() {
  const home = temporaryFolder();
  const session = desktopSession(testSystem({ home, uid: process.getuid?.() ?? -1 }), false);
  const [first, second] = [idleProgram('chromium'), idleProgram('firefox')];
  const presenter = windowPresenter({
    sessionOf: () => session,
    drivers: () => [first.driver, second.driver],
    plain: false,
    systemTheme: async () => 'light',
  });
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
  return { popup: ask(false), ask, first: first.requests, second: second.requests };
}

test('a program that does nothing for ten seconds gives way to the next one', async () => {
  const { first, second } = present();
  await opens(first, 1);
  await vi.advanceTimersByTimeAsync(10_000);
  await opens(second, 1);
  expect(first).toHaveLength(1);
});

test('a browser that has asked for the page has time to paint it, and no rival', async () => {
  const { popup, first, second } = present();
  await opens(first, 1);
  const [request] = first;
  if (request === undefined) throw new Error('no window');
  const { say } = await load(request);
  await vi.advanceTimersByTimeAsync(19_000);
  await say({ type: 'ready' });
  await popup.shown;
  expect(second).toStrictEqual([]);
});

test('a window that does not ask for the next question within ten seconds is replaced', async () => {
  const { popup, ask, first } = present();
  await opens(first, 1);
  const [request] = first;
  if (request === undefined) throw new Error('no window');
  const { say, isLed } = await load(request);
  await say({ type: 'ready' });
  await popup.shown;
  popup.notify({
    kind: 'waiting',
    waiting: [
      {
        id: '2',
        caller: 'Example host',
        since: '2026-03-01T10:00:00Z',
        firstLine: 'Next',
        here: true,
        follows: true,
      },
    ],
  });
  await say({ type: 'submit', text: 'blue' });
  await popup.close();
  ask(true);
  await isLed();
  await vi.advanceTimersByTimeAsync(9000);
  expect(first).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1000);
  await opens(first, 2);
});
