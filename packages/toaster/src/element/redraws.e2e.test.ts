import { expect, onTestFinished, test } from 'vitest';
import { describeInChromium } from '../testing/browser.ts';
import { describeInBrowsers } from '../testing/in-page.ts';

const DIALOG = '<dialog id="dialog"><p>Uploading 0 %</p></dialog>';

/** Sets `redraw(way)`. In a page. */
function installRedraw(): void {
  const dialog = document.querySelector('dialog');
  let draws = 0;
  const redraw = (way: string) => {
    const text = `Uploading ${(draws += 10)} %`;
    if (!dialog) throw new Error('The page has no dialog');
    if (way === 'innerHTML') dialog.innerHTML = `<p>${text}</p>`;
    else if (way === 'textContent') dialog.textContent = text;
    else {
      // It would never end if something came back at once.
      for (let n = 0; dialog.firstChild && n < 50; n += 1) dialog.removeChild(dialog.firstChild);
      dialog.append(text);
    }
  };
  /** Two frames may be drawn before a browser reports the end. */
  const closeDialog = () =>
    new Promise((resolve) => {
      dialog?.addEventListener('close', resolve, { once: true });
      dialog?.close();
    });
  Object.assign(globalThis, { dialog, redraw, closeDialog });
}

declare global {
  var dialog: HTMLDialogElement;
  var redraw: (way: string) => void;
  var closeDialog: () => Promise<unknown>;
}

describeInBrowsers((open) => {
  const openDialog = async () => {
    const page = await open(DIALOG);
    await page.evaluate(installRedraw);
    await page.evaluate(async () => {
      dialog.showModal();
      await tools.draw();
    });
    return page;
  };

  test.each(['innerHTML', 'textContent', 'removeChild'])(
    'toasts stay in a modal dialog that draws its content again with %s, with their time, and come back after it',
    async (way) => {
      const page = await openDialog();
      const seen = await page.evaluate(async (given) => {
        const { toaster, shown, isPressable, wait, draw } = tools;
        toaster.error('Connection lost', { duration: 1000 });
        for (let n = 0; n < 3; n += 1) {
          wait(300);
          redraw(given);
          await draw();
        }
        const inDialog = [toaster.parentNode === dialog, isPressable('Connection lost')];
        toaster.error('Disk full', { duration: 0 });
        await draw();
        wait(100);
        await closeDialog();
        await draw();
        return { inDialog, text: dialog.textContent, shown: shown(), after: isPressable('Disk full') };
      }, way);
      expect(seen).toEqual({
        inDialog: [true, true],
        text: 'Uploading 30 %',
        shown: ['Disk full'],
        after: true,
      });
    },
  );

  test('focus stays where it is in the toasts when the dialog draws its content again', async () => {
    const page = await openDialog();
    await page.evaluate(async () => {
      for (const message of ['one', 'two']) tools.toaster.error(message, { duration: 0 });
      await tools.draw();
    });
    const focused = () =>
      page.evaluate(() => {
        const { activeElement } = tools.toaster.shadowRoot ?? document;
        return [activeElement?.closest('article')?.ariaLabel, activeElement?.ariaLabel];
      });
    await page.keyboard.press('F8');
    await page.keyboard.press('Tab');
    for (const way of ['innerHTML', 'textContent']) {
      await page.evaluate(async (given) => {
        redraw(given);
        await tools.draw();
      }, way);
      expect(await focused()).toEqual(['Error: two', 'Close']);
    }
    await page.keyboard.press('Enter');
    expect(await focused()).toEqual(['Error: one', 'Error: one']);
  });

  test('the time of a toast runs when the pointer has left it, also if the dialog was drawn again under the pointer', async () => {
    const page = await openDialog();
    const [x, y] = await page.evaluate(async () => {
      const { toaster, draw } = tools;
      toaster.error('Connection lost', { duration: 1000 });
      await draw();
      const { left, top } =
        toaster.shadowRoot?.querySelector('.message')?.getBoundingClientRect() ?? new DOMRect();
      return [left + 5, top + 5] as const;
    });
    await page.mouse.move(x, y);
    const held = await page.evaluate(async () => {
      tools.wait(2000);
      redraw('innerHTML');
      await tools.draw();
      tools.wait(2000);
      return tools.shown();
    });
    await page.mouse.move(20, 600);
    const left = await page.evaluate(async () => {
      await tools.draw();
      tools.wait(1000);
      return tools.shown();
    });
    expect([held, left]).toEqual([['Connection lost'], []]);
  });

  test('remove() removes the toaster from the page while it is in a dialog, and it can be appended again', async () => {
    const page = await openDialog();
    const seen = await page.evaluate(async () => {
      const { toaster, draw, shown } = tools;
      toaster.error('Connection lost', { duration: 0 });
      toaster.remove();
      await draw();
      redraw('innerHTML');
      await draw();
      await closeDialog();
      await draw();
      const removed = toaster.isConnected;
      document.body.append(toaster);
      await draw();
      return [removed, document.querySelectorAll('deskside-toaster').length, shown()];
    });
    expect(seen).toEqual([false, 1, ['Connection lost']]);
  });

  test('a page that gives the toaster another place while a dialog is open finds it there after the dialog', async () => {
    const page = await openDialog();
    const parent = await page.evaluate(async () => {
      const { toaster, draw } = tools;
      const aside = document.body.appendChild(document.createElement('aside'));
      aside.append(toaster);
      toaster.error('Disk full', { duration: 0 });
      const during = toaster.parentNode === dialog;
      await closeDialog();
      await draw();
      return [during, toaster.parentNode === aside];
    });
    expect(parent).toEqual([true, true]);
  });

  test('a page that removes everything unknown from its dialog does not hang', async () => {
    const page = await openDialog();
    const seen = await page.evaluate(async () => {
      const { toaster, draw } = tools;
      const guard = new MutationObserver(() => {
        if (toaster.parentNode === dialog) dialog.removeChild(toaster);
      });
      guard.observe(dialog, { childList: true });
      redraw('innerHTML');
      await draw();
      guard.disconnect();
      toaster.error('Disk full', { duration: 0 });
      await draw();
      return tools.isPressable('Disk full');
    });
    expect(seen).toBe(true);
  });
});

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

  test('the keyboard reaches the toasts while a video is in fullscreen, and goes back', async () => {
    const page = await openPage();
    await page.evaluate(async () => {
      await document.querySelector('video')?.requestFullscreen();
      for (const message of ['one', 'two']) tools.toaster.error(message, { duration: 0 });
      await tools.draw();
    });
    const focused = () =>
      page.evaluate(() => tools.toaster.shadowRoot?.activeElement?.ariaLabel ?? document.activeElement?.id);
    const reached = [await focused()];
    await page.keyboard.press('F8');
    reached.push(await focused());
    // A browser leaves fullscreen at a press of Escape, unless the page has locked the key.
    await page.evaluate(() => {
      const escape = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, composed: true });
      tools.toaster.shadowRoot?.activeElement?.dispatchEvent(escape);
    });
    reached.push(await focused());
    await page.keyboard.press('F8');
    const held = await page.evaluate(() => document.querySelectorAll(':modal:not(:fullscreen)').length);
    expect([...reached, await focused(), held]).toEqual(['', 'Error: two', 'Error: one', '', 0]);
  });

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
