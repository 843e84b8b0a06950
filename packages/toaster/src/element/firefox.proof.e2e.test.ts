import { expect, test } from 'vitest';
import { describeInFirefox } from '../testing/firefox.ts';

describeInFirefox((open) => {
  test('a finger swipes a toast away in Firefox, and a short swipe leaves it', async () => {
    const page = await open();
    await page.evaluate(() => document.querySelector('deskside-toaster')?.error('Swipe me', { duration: 0 }));
    const swipe = async (distancePx: number) => {
      const card = await page.waitForSelector('deskside-toaster >>> .message', { visible: true });
      const { x = 0, y = 0 } = (await card?.boundingBox()) ?? {};
      const touch = await page.touchscreen.touchStart(x + 5, y + 5);
      for (const part of [0.5, 1]) await touch.move(x + 5 + distancePx * part, y + 5);
      await touch.end();
      return (await page.$$('deskside-toaster >>> .card')).length;
    };
    expect([await swipe(8), await swipe(120)]).toEqual([1, 0]);
  });
});
