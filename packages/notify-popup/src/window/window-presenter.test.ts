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

/** Loads the page as a browser does. @returns to call when it is painted */
async function load({ redirectFile }: WindowRequest): Promise<() => Promise<unknown>> {
  const [address = ''] = /http:[^"]+/.exec(await readFile(redirectFile, 'utf8')) ?? [];
  const { headers } = await fetch(address);
  const [cookie = ''] = headers.getSetCookie();
  const { origin } = new URL(address);
  const common = { cookie: cookie.split(';')[0] ?? '', origin, 'sec-fetch-site': 'same-origin' };
  return () =>
    fetch(`${origin}/message`, {
      method: 'POST',
      headers: { ...common, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'ready' }),
    });
}

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
  const popup = presenter.present(popupSpec());
  const close = async () => {
    const closed = popup.close();
    await vi.advanceTimersByTimeAsync(closeTimeoutMs('linux'));
    await closed;
  };
  onTestFinished(close);
  return { popup, first: first.requests, second: second.requests };
}

test('a program that does nothing for ten seconds gives way to the next one', async () => {
  const { first, second } = present();
  await vi.waitFor(() => expect(first).toHaveLength(1));
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.waitFor(() => expect(second).toHaveLength(1));
  expect(first).toHaveLength(1);
});

test('a browser that has asked for the page has time to paint it, and no rival', async () => {
  const { popup, first, second } = present();
  await vi.waitFor(() => expect(first).toHaveLength(1));
  const [request] = first;
  if (request === undefined) throw new Error('no window');
  const paint = await load(request);
  await vi.advanceTimersByTimeAsync(19_000);
  await paint();
  await popup.shown;
  expect(second).toStrictEqual([]);
});
