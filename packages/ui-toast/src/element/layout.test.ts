import { expect, test } from 'vitest';
import { POSITIONS } from '../notification/notification.ts';
import { describeInBrowser } from '../testing/browser.ts';
import { show } from '../testing/toasts.ts';

describeInBrowser('the layout', ({ open }) => {
  test.each([320, 768, 900, 1280])('keeps toasts apart and in view on %i px', async (width) => {
    const page = await open({ viewport: { width, height: 900 } });
    for (const position of POSITIONS) {
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
    expect(boxes).toHaveLength(3);
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

  test.each([
    ['theme="light"', 'light'],
    ['theme="auto"', 'light dark'],
    ['', 'dark'],
  ])('follows %j, else the page', async (toaster, scheme) => {
    const page = await open({ toaster, root: 'style="color-scheme: dark"', bypassCSP: true });
    await show(page, { message: 'x', severity: 'info' });
    expect(await page.locator('.card').evaluate((card) => getComputedStyle(card).colorScheme)).toBe(scheme);
  });

  test('moves nothing where less motion is wanted, and keeps its borders in forced colours', async () => {
    const page = await open({ forcedColors: 'active' });
    await show(page, { message: 'x', severity: 'info' });
    const look = await page.locator('.card').evaluate((card) => ({
      animations: card.getAnimations().length,
      border: getComputedStyle(card).borderTopWidth,
    }));
    expect(look).toEqual({ animations: 0, border: '1px' });
  });
});
