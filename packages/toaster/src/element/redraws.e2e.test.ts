import { expect, test } from 'vitest';
import { describeInBrowsers } from '../testing/in-page.ts';
import { pageScript } from '../testing/page-script.ts';

const DIALOG = '<dialog id="dialog"><p>Uploading 0 %</p></dialog>';

/** Each draws the content of the dialog again. */
const WAYS = [
  'innerHTML',
  'textContent',
  'replaceChildren',
  'removeChild',
  'remove first',
  'remove last',
  'React 19',
] as const;

/** Sets `redraw(way)`. In a page. */
function installRedraw(): void {
  const dialog = document.querySelector('dialog');
  let draws = 0;
  const redraw = (way: string) => {
    const text = `Uploading ${(draws += 10)} %`;
    if (!dialog) throw new Error('The page has no dialog');
    if (way === 'innerHTML') dialog.innerHTML = `<p>${text}</p>`;
    else if (way === 'textContent') dialog.textContent = text;
    else if (way === 'replaceChildren') dialog.replaceChildren(text);
    else if (way === 'removeChild') {
      // It would never end if something came back at once.
      for (let n = 0; dialog.firstChild && n < 50; n += 1) dialog.removeChild(dialog.firstChild);
      dialog.append(text);
    } else if (way.startsWith('remove')) {
      const child = () => (way.endsWith('first') ? dialog.firstChild : dialog.lastChild);
      for (let n = 0; dialog.firstChild && n < 50; n += 1) (child() as ChildNode).remove();
      dialog.append(text);
    } else Reflect.get(globalThis, 'reactRedraw')(text);
  };
  Object.assign(globalThis, { dialog, redraw });
}

declare global {
  var dialog: HTMLDialogElement;
  var redraw: (way: string) => void;
}

/** React draws the text of the dialog. */
const react = await pageScript(
  `
  import { createElement } from 'react';
  import { flushSync } from 'react-dom';
  import { createRoot } from 'react-dom/client';
  const root = createRoot(document.querySelector('#root'));
  globalThis.reactRedraw = (text) => flushSync(() => root.render(createElement('dialog', {}, text)));
  reactRedraw('Uploading 0 %');`,
  import.meta.dirname,
);

describeInBrowsers((open) => {
  const openDialog = async (way = 'innerHTML') => {
    const page = await open(way === 'React 19' ? '<div id="root"></div>' : DIALOG);
    if (way === 'React 19') await page.addScript(react);
    await page.evaluate(installRedraw);
    await page.evaluate(async () => {
      dialog.showModal();
      await tools.draw();
    });
    return page;
  };

  test.each(WAYS)(
    'toasts stay in a modal dialog that draws its content again with %s, with their time, and come back after it',
    async (way) => {
      const page = await openDialog(way);
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
        dialog.close();
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

  test('a redraw that moves focus into the dialog keeps it there', async () => {
    const page = await openDialog();
    const focused = await page.evaluate(async () => {
      const { toaster, draw } = tools;
      toaster.error('Connection lost', { duration: 0 });
      toaster.shadowRoot?.querySelector<HTMLElement>('.close')?.focus();
      dialog.innerHTML = '<input id="name">';
      dialog.querySelector('input')?.focus();
      await draw();
      return [document.activeElement?.id, toaster.isConnected];
    });
    expect(focused).toEqual(['name', true]);
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
      dialog.close();
      await draw();
      const removed = toaster.isConnected;
      document.body.append(toaster);
      await draw();
      return [removed, document.querySelectorAll('deskside-toaster').length, shown()];
    });
    expect(seen).toEqual([false, 1, ['Connection lost']]);
  });

  test('getToaster and show find the toaster in the moment in which the dialog draws its content again', async () => {
    const page = await openDialog();
    const seen = await page.evaluate(async () => {
      redraw('innerHTML');
      const isSame = deskside.getToaster() === tools.toaster;
      redraw('innerHTML');
      tools.toaster.error('Disk full');
      const isThere = tools.toaster.isConnected;
      await tools.draw();
      return [
        isSame,
        isThere,
        document.querySelectorAll('deskside-toaster').length,
        tools.isPressable('Disk full'),
      ];
    });
    expect(seen).toEqual([true, true, 1, true]);
  });

  test('a page that gives the toaster another place while a dialog is open finds it there after the dialog', async () => {
    const page = await openDialog();
    const parent = await page.evaluate(async () => {
      const { toaster, draw } = tools;
      const aside = document.body.appendChild(document.createElement('aside'));
      aside.append(toaster);
      toaster.error('Disk full', { duration: 0 });
      const during = toaster.parentNode === dialog;
      dialog.close();
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
