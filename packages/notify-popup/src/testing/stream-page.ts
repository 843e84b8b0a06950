import { sharedBrowser } from '@deskside/testkit/chromium';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { type Change, STREAM_WORLD } from './stream-world.ts';

/** As Windows numbers them. Those of letters, digits and the space are their codes. */
const KEY_CODES: Readonly<Record<string, number>> = { Backspace: 8, Tab: 9, Enter: 13, Escape: 27 };
const TEXTS: Readonly<Record<string, string>> = { Backspace: '', Tab: '', Enter: '\r', Escape: '' };

const pageReport = z.object({ ms: z.number(), message: z.looseObject({ type: z.string() }) });
const pageNow = z.object({
  ms: z.number(),
  typed: z.string(),
  width: z.number(),
  x: z.number(),
  y: z.number(),
});

/** A message of the page, at a time of its clock. */
export type PageReport = z.output<typeof pageReport>;

/**
 * Loads a page in the world of a stream once. Each document replaces the one before, which takes a fraction of the time of a
 * load.
 */
export async function openStreamPage() {
  const browser = await sharedBrowser();
  const page = await browser.newPage({ viewport: { width: 500, height: 700 } });
  onTestFinished(() => page.close());
  const session = await page.context().newCDPSession(page);
  let receive: ((report: PageReport) => boolean) | undefined;
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.addInitScript(STREAM_WORLD);
  await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto('http://localhost/');
  await session.send('Runtime.addBinding', { name: 'report' });
  session.on('Runtime.bindingCalled', ({ payload }) => {
    void inPage('answer', receive?.(pageReport.parse(JSON.parse(payload))) === true);
  });

  async function inPage(work: string, ...args: readonly unknown[]): Promise<unknown> {
    const expression = `stream.${work}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`;
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails: failure } = await session.send('Runtime.evaluate', options);
    if (failure !== undefined) throw new Error(failure.exception?.description ?? failure.text);
    if (errors.length > 0) throw new AggregateError(errors.splice(0), 'The page failed.');
    return result.value;
  }

  async function change(now: readonly Change[], later = {}, selector = '#reply') {
    return pageNow.parse(await inPage('change', now, later, selector));
  }

  /** The browser handles what it is sent in this order. */
  function pressKey(key: string) {
    const text = TEXTS[key] ?? key;
    const of = { key, windowsVirtualKeyCode: KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0) };
    return [
      session.send('Input.dispatchKeyEvent', { ...of, type: text === '' ? 'rawKeyDown' : 'keyDown', text }),
      session.send('Input.dispatchKeyEvent', { ...of, type: 'keyUp' }),
    ];
  }

  return {
    /** Shows another document, of which the receiver gets all messages; it returns true if it accepts one. */
    async open(html: string, waiting: readonly unknown[], receiver: NonNullable<typeof receive>) {
      receive = receiver;
      await inPage('open', html, waiting);
    },
    /** Makes changes now. @returns the time of the page, and what is in the box */
    change: (changes: readonly Change[]) => change(changes),
    /** Presses keys, each after its changes. */
    async keys(keys: readonly { readonly key: string; readonly after: readonly Change[] }[]) {
      await change([], { keydown: keys.map(({ after }) => after) });
      await Promise.all(keys.flatMap(({ key }) => pressKey(key)));
    },
    /** Presses the mouse in the middle of a place, or at its end, after some changes. Others come while the button is down. */
    async press(
      { selector, atEnd }: { readonly selector: string; readonly atEnd: boolean },
      after: readonly Change[],
      between: readonly Change[],
    ) {
      const { width, x: middle, y } = await change(after, { pointerup: [between] }, selector);
      if (width === 0) throw new Error(`${selector} is not visible`);
      const x = atEnd ? middle + width / 2 - 4 : middle;
      const types = ['mouseMoved', 'mousePressed', 'mouseReleased'] as const;
      await Promise.all(
        types.map((type) =>
          session.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 }),
        ),
      );
    },
  };
}
