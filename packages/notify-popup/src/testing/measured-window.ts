import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentSystem } from '../desktop/system.ts';
import { openPageServer } from '../page/page-server.ts';
import type { InboxRequest } from '@deskside/desktop';
import { browserDriver } from '../window/browser.ts';
import { chromium } from '../window/chromium.ts';
import { expectedSize } from '../window/expected-size.ts';
import { writeRedirectFile } from '../window/redirect-file.ts';
import type { Desktop } from './desktop.ts';
import { popupSpec } from './samples.ts';

/** What the page in a window sees of itself, in its own pixels. */
export interface PageSize {
  readonly scale: number;
  readonly width: number;
  readonly height: number;
  /** The limit of its height. */
  readonly highest: number;
  /** How much of the page cannot be seen without scrolling. */
  readonly hidden: number;
  /** The same of the message. */
  readonly hiddenOfMessage: number;
  /** Below the text of the message. */
  readonly gap: number;
  readonly isPackedClosely: boolean;
  /** What must be in view in any case and is not, by selector. */
  readonly outOfView: readonly string[];
}

/** Runs in the page. The message has a padding of 2 pixels. */
const MEASURE = `(() => {
  const message = document.getElementById('message');
  const hiddenOf = ({ scrollHeight, clientHeight }) => scrollHeight - clientHeight;
  const content = document.createRange();
  content.selectNodeContents(message);
  const isOutOfView = (selector) => {
    const { top, bottom, height } = document.querySelector(selector).getBoundingClientRect();
    return height === 0 || top < 0 || bottom > innerHeight + 1;
  };
  return {
    scale: devicePixelRatio,
    width: innerWidth,
    height: innerHeight,
    highest: Math.floor(screen.availHeight * 0.77),
    hidden: hiddenOf(document.body),
    hiddenOfMessage: hiddenOf(message),
    gap: message.getBoundingClientRect().bottom - 2 - content.getBoundingClientRect().bottom,
    isPackedClosely: document.body.hasAttribute('data-low'),
    outOfView: ['#sender b', '#sender span', 'footer', '.reply'].filter(isOutOfView),
  };
})()`;

/** Real windows, whose pages can be asked for their sizes. Other than those of the inbox they may take long to open. */
export function measuredWindows(home: string, desktop: Desktop) {
  const system = { ...currentSystem(), env: desktop.env, home };
  const folder = join(home, 'profiles');
  const browser = join(home, 'browser');
  // The page is asked when it has its size: what opens and sizes the window is the product alone.
  writeFileSync(browser, '#!/bin/sh\nexec chromium --remote-debugging-port=0 "$@"\n');
  chmodSync(browser, 0o755);
  const portFile = join(folder, 'chromium/DevToolsActivePort');
  const driver = browserDriver(chromium, { system, folder, keepsNothing: false, browser });

  return {
    async open(question: Partial<InboxRequest>) {
      rmSync(portFile, { force: true });
      let acceptsKeys = false;
      const spec = popupSpec(
        { caller: 'Codex · returns', ...question },
        { onAcceptsKeys: (accepts) => (acceptsKeys = accepts) },
      );
      const { centersWindow: centered } = driver;
      const size = expectedSize(spec);
      const page = await openPageServer(spec, {
        page: Promise.resolve({ theme: 'light', plain: false, centered, width: size.width }),
        openLink: () => undefined,
      });
      const redirectFile = join(home, 'popup.html');
      await writeRedirectFile(redirectFile, page.addresses, spec.question);
      const window = await driver.open(browser, {
        redirectFile,
        theme: 'light',
        title: spec.question.title,
        size,
        takesKeyboard: true,
        painted: page.ready,
        isUsed: () => page.isUsed,
        onOpen: () => undefined,
        onForeign: () => undefined,
      });
      await page.ready;
      return {
        acceptsKeys: () => acceptsKeys,
        /** @throws while the page does not answer */
        async size(): Promise<PageSize> {
          const [port] = readFileSync(portFile, 'utf8').split('\n');
          const targets = await fetch(`http://127.0.0.1:${port}/json/list`);
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the protocol of DevTools
          const [target] = (await targets.json()) as readonly { readonly webSocketDebuggerUrl: string }[];
          if (target === undefined) throw new Error('the window has no page');
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the script returns
          return (await evaluate(target.webSocketDebuggerUrl, MEASURE)) as PageSize;
        },
        async close() {
          await window.kill();
          await page.close();
        },
      };
    },
  };
}

/** @returns the value of an expression in the page at this address of DevTools */
async function evaluate(address: string, expression: string): Promise<unknown> {
  const socket = new WebSocket(address);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  socket.addEventListener('open', () => {
    const params = { expression, returnByValue: true };
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
  });
  socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data)).result.result.value));
  socket.addEventListener('error', () => reject(new Error('the page does not answer')));
  try {
    return await promise;
  } finally {
    socket.close();
  }
}
