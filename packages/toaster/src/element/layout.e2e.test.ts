import { expect, test } from 'vitest';
import { POSITIONS, TOAST_POSITIONS } from '../notification/notification.ts';
import { describeInChromium, show } from '../testing/browser.ts';

describeInChromium(({ open }) => {
  test.each([
    [320, POSITIONS],
    [768, POSITIONS],
    [900, POSITIONS],
    [1280, POSITIONS],
    [1400, TOAST_POSITIONS],
  ])('toasts at all positions stay in view and apart at a width of %i px', async (width, positions) => {
    const page = await open({ viewport: { width, height: 900 } });
    for (const position of positions) {
      await show(page, {
        message: 'x'.repeat(90),
        severity: 'warning',
        position,
        actions: [{ label: 'Details', action: 'prompt', prompt: 'show me all of the details' }],
      });
    }
    const boxes = await page.locator('.card').evaluateAll((found) =>
      found.map((card) => {
        const { left, right, top, bottom } = card.getBoundingClientRect();
        return { left, right, top, bottom };
      }),
    );
    expect(boxes).toHaveLength(positions.length);
    for (const box of boxes) {
      expect(Math.min(box.left, width - box.right, box.top, 900 - box.bottom)).toBeGreaterThanOrEqual(0);
      const covering = boxes.filter(
        (other) =>
          other !== box &&
          other.left < box.right &&
          box.left < other.right &&
          other.top < box.bottom &&
          box.top < other.bottom,
      );
      expect(covering).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  test('a stack does not cut the shadows of its cards', async () => {
    const page = await open();
    for (const position of TOAST_POSITIONS) await show(page, { message: 'x', severity: 'info', position });
    // The shadow of a card reaches 12 px around it and is 4 px lower.
    const distances = await page.locator('.stack').evaluateAll((stacks) =>
      stacks.flatMap((stack) => {
        const clip = stack.getBoundingClientRect();
        const card = stack.querySelector('.card')?.getBoundingClientRect() ?? new DOMRect();
        return [
          card.left - clip.left,
          clip.right - card.right,
          card.top - clip.top,
          clip.bottom - card.bottom - 4,
        ];
      }),
    );
    expect(distances).toHaveLength(24);
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(12);
  });

  test.each([
    ['theme="light"', 'light'],
    ['theme="auto"', 'light dark'],
    ['', 'dark'],
  ])('a toaster with the attribute %j has the color scheme %s', async (toaster, scheme) => {
    const page = await open({ toaster, root: 'style="color-scheme: dark"', bypassCSP: true });
    await show(page, { message: 'x', severity: 'info' });
    expect(await page.locator('.card').evaluate((card) => getComputedStyle(card).colorScheme)).toBe(scheme);
  });

  test('a toast does not move under reduced motion, and has a border in forced colors', async () => {
    const page = await open({ forcedColors: 'active' });
    await show(page, { message: 'x', severity: 'info' });
    const look = await page.locator('.card').evaluate((card) => ({
      animations: card.getAnimations().length,
      border: getComputedStyle(card).borderTopWidth,
    }));
    expect(look).toEqual({ animations: 0, border: '1px' });
  });

  test.each([
    [600, 380],
    [1200, 760],
    [320, 256],
  ])('all parts of the longest toasts can be scrolled into view at %i x %i px', async (width, height) => {
    const page = await open({ viewport: { width, height } });
    for (const position of TOAST_POSITIONS) await show(page, { ...longest, position });
    for (const position of TOAST_POSITIONS) {
      for (const part of await page.locator(`.stack.${position} :is(.title, .close, .action)`).all()) {
        await part.scrollIntoViewIfNeeded();
        const visible = await part.evaluate((element) => {
          const { left, right, top, bottom } = element.getBoundingClientRect();
          const root = element.getRootNode();
          const isHit = (x: number, y: number) =>
            root instanceof ShadowRoot && element.contains(root.elementFromPoint(x, y));
          return [isHit(left + 8, top + 4), isHit(right - 8, bottom - 4)];
        });
        expect([position, await part.textContent(), visible]).toEqual([
          position,
          await part.textContent(),
          [true, true],
        ]);
      }
    }
  });

  test('the newest of more toasts than a small screen has room for is scrolled into view', async () => {
    const page = await open({ viewport: { width: 320, height: 400 } });
    for (const position of TOAST_POSITIONS) {
      await show(page, { message: 'Nine words '.repeat(20), duration: 0, position });
      const { top = -1, bottom = 401 } = await page
        .locator(`.stack.${position} .close`)
        .evaluate((close) => close.getBoundingClientRect().toJSON());
      expect([position, top >= 0, bottom <= 400]).toEqual([position, true, true]);
    }
  });

  test('a click on a prompt that is not wholly visible only scrolls it into view', async () => {
    const page = await open({ viewport: { width: 600, height: 380 } });
    await page.evaluate(() => {
      addEventListener('deskside-prompt', () => {
        document.title = 'sent';
      });
    });
    await show(page, { ...longest, duration: 0 });
    await page.clock.runFor(1000);
    const button = page.locator('.action').last();
    const clickAtEdge = async () => {
      const box = await button.boundingBox();
      await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 4);
    };
    await button.evaluate((element) => {
      for (let at = element.parentElement; at !== null; at = at.parentElement) {
        at.scrollTop = 0;
        at.scrollTop = element.getBoundingClientRect().top - at.getBoundingClientRect().bottom + 12;
      }
    });
    await clickAtEdge();
    expect(await page.title()).toBe('Chat');
    await clickAtEdge();
    expect(await page.title()).toBe('sent');
  });
});

/** Every text at the limit of the tool. */
const longest = {
  message: 'Nine words, and then the sentence begins once more. '.repeat(9),
  title: 'The title is as long as a title can be, and then some. '.repeat(2).slice(0, 99),
  severity: 'warning',
  duration: 0,
  actions: ['First', 'Second', 'Third'].map((label) => ({
    label,
    action: 'prompt' as const,
    prompt: `${label}: ${'show me all of the details '.repeat(4)}`,
  })),
} as const;
