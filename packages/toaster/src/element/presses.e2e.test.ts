import { expect, test } from 'vitest';
import { type BrowserPage, describeInBrowsers } from '../testing/in-page.ts';

/** How pages close a dialog at a press outside. */
const RECIPES: Readonly<Record<string, () => void>> = {
  'a click on the dialog itself': () => {
    const dialog = document.querySelector('dialog');
    dialog?.addEventListener('click', ({ target }) => target === dialog && dialog.close());
    dialog?.showModal();
  },
  'the place of a click': () => {
    const dialog = document.querySelector('dialog');
    dialog?.addEventListener('click', ({ clientX, clientY }) => {
      const { left, right, top, bottom } = dialog.getBoundingClientRect();
      if (clientX < left || clientX > right || clientY < top || clientY > bottom) dialog.close();
    });
    dialog?.showModal();
  },
  'a press outside its content': () => {
    const dialog = document.querySelector('dialog');
    for (const type of ['mousedown', 'pointerup', 'click'])
      document.addEventListener(type, ({ target }) => {
        if (target instanceof Node && !dialog?.querySelector('form')?.contains(target)) dialog?.close();
      });
    dialog?.showModal();
  },
  closedby: () => {
    const dialog = document.querySelector('dialog');
    dialog?.setAttribute('closedby', 'any');
    dialog?.showModal();
  },
  'closedby without a modal': () => {
    const dialog = document.querySelector('dialog');
    dialog?.setAttribute('closedby', 'any');
    dialog?.show();
  },
};

/** Everything that a person does with a toast. */
const TYPES =
  'pointerdown pointerup mousedown mouseup click dblclick auxclick contextmenu touchstart touchmove touchend wheel keydown keypress keyup';

function isOpen(page: BrowserPage) {
  return page.evaluate(() => document.querySelector('dialog')?.open);
}

/** The middle of the element with this selector in the toaster. */
function middleOf(page: BrowserPage, selector: string) {
  return page.evaluate((given) => {
    const {
      left = 0,
      top = 0,
      width = 0,
      height = 0,
    } = tools.toaster.shadowRoot?.querySelector(given)?.getBoundingClientRect() ?? {};
    return [left + width / 2, top + height / 2] as const;
  }, selector);
}

describeInBrowsers((open) => {
  test.each(Object.keys(RECIPES))(
    'presses on a toast do not close a dialog that closes by %s',
    async (name) => {
      const page = await open('<dialog><form><input></form></dialog>');
      await page.evaluate(RECIPES[name] ?? (() => undefined));
      await page.evaluate(async () => {
        await tools.draw();
        for (const message of ['one', 'two']) tools.toaster.error(message, { duration: 0 });
        await tools.draw();
      });
      await page.mouse.click(...(await middleOf(page, '.close')));
      expect([await page.evaluate(() => tools.shown()), await isOpen(page)]).toEqual([['one'], true]);
      // A selection that ends outside of the toast.
      const [x, y] = await middleOf(page, '.message');
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - 300, y + 200);
      await page.mouse.up();
      expect(await isOpen(page)).toBe(true);
      await page.mouse.click(20, 600);
      expect(await isOpen(page)).toBe(false);
    },
  );

  test('nothing that a person does with a toast reaches the page, but what happens in a node of the page does', async () => {
    const page = await open();
    const seen = await page.evaluate((types) => {
      const { toaster } = tools;
      const body = document.createElement('p');
      toaster.error('Connection lost', { duration: 0 });
      toaster.info('Upload', { duration: 0, position: 'bottom-left', body });
      const reached: Record<string, string[]> = { toast: [], node: [] };
      for (const [name, target] of [
        ['toast', toaster.shadowRoot?.querySelector('.card.error .text')],
        ['node', body],
      ] as const)
        for (const type of types.split(' ')) {
          const listener = () => reached[name]?.push(type);
          document.addEventListener(type, listener);
          const init = { bubbles: true, composed: true, cancelable: true, pointerType: 'mouse' };
          const event = type.startsWith('key') ? new KeyboardEvent(type, init) : new PointerEvent(type, init);
          target?.dispatchEvent(event);
          document.removeEventListener(type, listener);
        }
      return reached;
    }, TYPES);
    expect(seen).toEqual({
      toast: [],
      node: TYPES.split(' ').filter((type) => !['pointerdown', 'mousedown', 'touchstart'].includes(type)),
    });
  });

  test('a key that is pressed on a toast does nothing in the page, whose field then has focus', async () => {
    const page = await open('<input id="field">');
    await page.evaluate(() => {
      const seen: string[] = [];
      for (const type of ['keydown', 'keypress', 'keyup'])
        document.addEventListener(
          type,
          (event) => event instanceof KeyboardEvent && seen.push(`${type} ${event.key}`),
        );
      Object.assign(globalThis, { seen });
      document.querySelector<HTMLElement>('#field')?.focus();
      for (const message of ['one', 'two']) tools.toaster.error(message, { duration: 0 });
    });
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await page.keyboard.press('F8');
    await page.evaluate(() => Reflect.get(globalThis, 'seen').splice(0));
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await page.keyboard.down('Enter');
    expect(await focused()).toBe('field');
    // It repeats while it is held.
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    expect(await page.evaluate(() => Reflect.get(globalThis, 'seen'))).toEqual([]);
    await page.keyboard.press('a');
    expect(await page.evaluate(() => Reflect.get(globalThis, 'seen'))).toEqual([
      'keydown a',
      'keypress a',
      'keyup a',
    ]);
  });
});
