import { expect, test } from 'vitest';
import { TOAST_POSITIONS } from '../notification/notification.ts';
import { type BrowserPage, describeInBrowsers, testBehaviors } from '../testing/in-page.ts';

/** How pages close a dialog at a press outside. */
const RECIPES: Readonly<Record<string, () => void>> = {
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

const WIDTHS = [320, 600, 864, 1000, 1320, 1920];

describeInBrowsers((open) => {
  test.each(['ltr', 'rtl'])(
    'in a page from %s, each position is where its name says, in view and apart from the others, at every width',
    async (dir) => {
      for (const width of WIDTHS) {
        const page = await open('', [width, 900]);
        const found = await page.evaluate(
          async ([given, names]) => {
            const { toaster, draw } = tools;
            document.documentElement.dir = given;
            document.documentElement.style.overflowY = 'scroll';
            // On a small screen they are below each other, and six long ones are more than it has room for.
            const message = 'x'.repeat(innerWidth < 1320 ? 20 : 90);
            for (const position of names) toaster.warning(message, { duration: 0, position });
            await draw();
            const { clientWidth, scrollWidth } = document.documentElement;
            // A scroll bar on the left moves all of them.
            const origin = document.documentElement.getBoundingClientRect().left;
            const boxes = names.map(
              (position) =>
                toaster.shadowRoot?.querySelector(`.${position} .card`)?.getBoundingClientRect() ??
                new DOMRect(),
            );
            const places = boxes.map((box) => {
              const left = box.left - origin;
              const right = clientWidth - left - box.width;
              const isInside = Math.min(left, right, box.top, innerHeight - box.bottom) >= 0;
              const isApart = boxes.every(
                (other) =>
                  other === box ||
                  other.left >= box.right ||
                  other.right <= box.left ||
                  other.top >= box.bottom ||
                  other.bottom <= box.top,
              );
              const edge = box.bottom < innerHeight / 2 ? 'top' : 'bottom';
              const side = Math.abs(left - right) <= 1 ? 'center' : left < right ? 'left' : 'right';
              return isInside && isApart
                ? `${edge}-${side}`
                : `${isInside} ${isApart} ${left} ${right} ${box.top}`;
            });
            return [...places, scrollWidth - clientWidth];
          },
          [dir, TOAST_POSITIONS] as const,
        );
        const places = TOAST_POSITIONS.map((name) => (width < 440 ? name.replace(/\w+$/, 'center') : name));
        expect([width, found]).toEqual([width, [...places, 0]]);
      }
    },
  );
});

/** As long as the tool accepts it. */
const PROMPT = 'show me all of the details '.repeat(74).slice(0, 1996).concat(' end');

/** Shows a toast with the prompt, and records what the page is given. */
async function offer(page: BrowserPage): Promise<void> {
  await page.evaluate((prompt) => {
    const sent: string[] = [];
    Object.assign(globalThis, { sent });
    tools.toaster.addEventListener('deskside-prompt', ({ detail }) => sent.push(detail.prompt));
    const actions = [{ label: 'Details', action: 'prompt', prompt }] as const;
    tools.toaster.show({ message: 'Build failed', severity: 'error', duration: 0, actions });
    tools.wait(1000);
  }, PROMPT);
}

function state(page: BrowserPage) {
  return page.evaluate(() => {
    const prompt = tools.toaster.shadowRoot?.querySelector('.stack .sends');
    const { scrollHeight = 0, clientHeight = 0 } = prompt ?? {};
    const { bottom = 0 } = prompt?.getBoundingClientRect() ?? {};
    return {
      isCut: scrollHeight > clientHeight,
      isEndInView: Math.floor(bottom) <= innerHeight,
      sent: Reflect.get(globalThis, 'sent'),
    };
  });
}

async function click(page: BrowserPage, part: string): Promise<void> {
  const [x, y] = await page.evaluate((selector) => {
    const {
      left = 0,
      top = 0,
      bottom = 0,
    } = tools.toaster.shadowRoot?.querySelector(`.stack ${selector}`)?.getBoundingClientRect() ?? {};
    return [left + 10, selector === '.sends' ? bottom - 6 : top + 6] as const;
  }, part);
  await page.mouse.click(x, y);
  await page.evaluate(() => tools.draw());
}

describeInBrowsers((open) => {
  test('of a long prompt three lines are shown; a click shows all of it, and the next one sends it as it is', async () => {
    const page = await open('', [900, 900]);
    await offer(page);
    expect(await state(page)).toEqual({ isCut: true, isEndInView: true, sent: [] });
    await click(page, '.label');
    expect(await state(page)).toEqual({ isCut: false, isEndInView: true, sent: [] });
    await click(page, '.label');
    expect((await state(page)).sent).toEqual([PROMPT]);
  });

  test('a prompt that is taller than the window is sent only after its end was in view', async () => {
    const page = await open('', [320, 500]);
    await offer(page);
    await click(page, '.label');
    expect(await state(page)).toEqual({ isCut: false, isEndInView: false, sent: [] });
    await click(page, '.label');
    expect(await state(page)).toEqual({ isCut: false, isEndInView: true, sent: [] });
    await click(page, '.sends');
    expect((await state(page)).sent).toEqual([PROMPT]);
  });
});

testBehaviors([
  {
    title: 'a duration that is absent, empty or no time is not given; a decimal text is a number',
    run: () => {
      const values: readonly unknown[] = [
        null,
        '',
        ' ',
        false,
        true,
        Number.NaN,
        -1,
        {},
        'soon',
        '4000',
        '0',
        0,
        Infinity,
      ];
      return values.map((duration) => {
        const id = tools.toaster.show({ message: 'Saved', duration: duration as number });
        return tools.toaster.history.find(({ notification }) => notification.id === id)?.notification
          .duration;
      });
    },
    expected: [...Array.from({ length: 9 }, () => 5000), 4000, 0, 0, 0],
  },
  {
    title: 'settings of a toast that are absent or wrong are not given, and nothing is thrown',
    run: () => {
      const wrong: readonly object[] = [
        { id: null },
        { id: '' },
        { timestamp: null },
        { severity: 'fatal', position: 'middle' },
        { title: null, action: null, actions: null, loading: null, icon: null, body: null },
        { title: ' ', actions: 'x', icon: 'x', body: {} },
        { actions: [null, {}, { label: 7 }, { label: 'Logs', action: 'prompt' }, { label: 'Undo' }] },
      ];
      return wrong.map((options, n) => {
        const id = tools.toaster.show({ message: `Saved ${n}`, ...options });
        const card = tools.toaster.shadowRoot?.querySelector('.stack .card:not(.leaving)');
        const buttons = card?.querySelectorAll<HTMLElement>('.action') ?? [];
        for (const button of buttons) button.click();
        tools.toaster.dismissAll();
        return [
          /^page-\d+$/.test(id),
          card?.ariaLabel,
          card?.querySelector('.message')?.textContent,
          buttons.length,
        ];
      });
    },
    expected: [0, 1, 2, 3, 4, 5, 6].map((n) => [
      true,
      `Information: Saved ${n}`,
      `Saved ${n}`,
      n === 6 ? 1 : 0,
    ]),
  },
]);
