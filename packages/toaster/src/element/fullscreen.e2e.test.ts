import { expect, onTestFinished, test } from 'vitest';
import { describeInChromium } from '../testing/browser.ts';
import { describeInBrowsers } from '../testing/in-page.ts';

const CONTENT = `<div id="box"><button id="inside">Inside</button></div><video id="video" width="200"></video>
  <player-element id="player"></player-element><button id="outside">Outside</button>`;

/** A player that draws into its shadow root, and has no slot. In a page. */
function definePlayer(): void {
  const player = document.querySelector('player-element');
  player?.attachShadow({ mode: 'open' }).append(document.createElement('button'));
}

describeInBrowsers((open) => {
  const openPage = async () => {
    const page = await open(CONTENT);
    onTestFinished(() =>
      page.evaluate(async () => {
        if (document.fullscreenElement) await document.exitFullscreen();
      }),
    );
    await page.evaluate(definePlayer);
    return page;
  };

  test.each(['#box', '#player', '#video', 'html'])(
    'toasts are visible and pressable while %s is in fullscreen, from before, from then, and after it',
    async (selector) => {
      const page = await openPage();
      const at = await page.evaluate(async (given) => {
        tools.toaster.error('Connection lost', { duration: 0 });
        await document.querySelector(given)?.requestFullscreen();
        await tools.draw();
        tools.toaster.error('Disk full', { duration: 0 });
        await tools.draw();
        const button = [...(tools.toaster.shadowRoot?.querySelectorAll('.stack .close') ?? [])].at(0);
        const { left = 0, top = 0 } = button?.getBoundingClientRect() ?? {};
        return [left + 14, top + 14] as const;
      }, selector);
      await page.mouse.move(at[0] - 2, at[1]);
      await page.evaluate(() => tools.draw());
      await page.mouse.click(...at);
      const inside = await page.evaluate(async () => {
        await tools.draw();
        return [document.fullscreenElement !== null, tools.shown().length];
      });
      await page.mouse.move(20, 600);
      const after = await page.evaluate(async () => {
        await document.exitFullscreen();
        await tools.draw();
        const { toaster, shown, isPressable } = tools;
        toaster.error('Last', { duration: 0 });
        const pressable = shown().map(isPressable);
        return [toaster.parentNode === document.body, pressable];
      });
      expect([inside, after]).toEqual([
        [true, 1],
        [true, [true, true]],
      ]);
    },
  );

  test.each(['#box', '#video', 'html'])(
    'the keyboard reaches the toasts while %s is in fullscreen, and goes back',
    async (selector) => {
      const page = await openPage();
      await page.evaluate(async (given) => {
        await document.querySelector(given)?.requestFullscreen();
        document.querySelector<HTMLElement>('#inside')?.focus();
        await tools.draw();
        for (const message of ['one', 'two']) tools.toaster.error(message, { duration: 0 });
        await tools.draw();
      }, selector);
      const focused = () =>
        page.evaluate(() => tools.toaster.shadowRoot?.activeElement?.ariaLabel ?? document.activeElement?.id);
      const before = await focused();
      await page.keyboard.press('F8');
      const first = await focused();
      // A browser leaves fullscreen at a press of Escape, unless the page has locked the key.
      await page.evaluate(() => {
        tools.toaster.shadowRoot?.activeElement?.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, composed: true, cancelable: true }),
        );
      });
      const second = await focused();
      await page.keyboard.press('F8');
      expect([first, second, await focused()]).toEqual(['Error: two', 'Error: one', before]);
    },
  );

  test.each(['#box', 'html'])(
    'focus in a toast stays there when %s enters and leaves fullscreen',
    async (selector) => {
      const page = await openPage();
      const seen = await page.evaluate(async (given) => {
        const { toaster, draw, isPressable } = tools;
        toaster.error('Connection lost', { duration: 0 });
        const root = toaster.shadowRoot;
        root?.querySelector<HTMLElement>('.close')?.focus();
        const state = () => [isPressable('Connection lost'), root?.activeElement?.className];
        await document.querySelector(given)?.requestFullscreen();
        await draw();
        const inside = state();
        await document.exitFullscreen();
        await draw();
        return [inside, state()];
      }, selector);
      expect(seen).toEqual([
        [true, 'close'],
        [true, 'close'],
      ]);
    },
  );

  test('a modal dialog over an element in fullscreen has the toasts, then that element has them again', async () => {
    const page = await openPage();
    const seen = await page.evaluate(async () => {
      const { toaster, draw, isPressable } = tools;
      const box = document.querySelector('#box');
      const dialog = box?.appendChild(document.createElement('dialog'));
      await box?.requestFullscreen();
      await draw();
      toaster.error('Connection lost', { duration: 0 });
      dialog?.showModal();
      await draw();
      const over = [toaster.parentNode === dialog, isPressable('Connection lost')];
      dialog?.close();
      await draw();
      const under = [toaster.parentNode === box, isPressable('Connection lost')];
      box?.replaceChildren('drawn again');
      await draw();
      const redrawn = [toaster.parentNode === box, isPressable('Connection lost')];
      box?.remove();
      await draw();
      return {
        over,
        under,
        redrawn,
        gone: [toaster.parentNode === document.body, isPressable('Connection lost')],
      };
    });
    const yes = [true, true];
    expect(seen).toEqual({ over: yes, under: yes, redrawn: yes, gone: yes });
  });
});

describeInChromium(({ open }) => {
  test.each(['#box', '#video'])('a tap on a toast presses it while %s is in fullscreen', async (selector) => {
    const page = await open({ html: CONTENT, clock: false, bypassCSP: true, hasTouch: true });
    await page.evaluate(async (given) => {
      await document.querySelector(given)?.requestFullscreen();
      document.querySelector('deskside-toaster')?.error('Connection lost', { duration: 0 });
    }, selector);
    const close = page.locator('.stack .close');
    const { x = 0, y = 0 } = (await close.boundingBox()) ?? {};
    await page.touchscreen.tap(x + 10, y + 10);
    await expect.poll(() => close.count()).toBe(0);
    expect(await page.evaluate(() => document.fullscreenElement !== null)).toBe(true);
    await page.evaluate(() => document.exitFullscreen());
  });
});
