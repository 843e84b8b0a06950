import { expect, test } from 'vitest';
import { describeInBrowser } from '../testing/browser.ts';
import { cards, dismiss, messages, show, update } from '../testing/toasts.ts';

const failing = { message: 'Disk failing', severity: 'error' } as const;

describeInBrowser('a repeated toast', ({ open }) => {
  test('is folded into the one that is there, with a counter, and its time starts again', async () => {
    const page = await open();
    await show(page, { message: 'Saved', severity: 'success' });
    await page.clock.runFor(4000);
    await show(page, { message: 'Saved', severity: 'success' });
    await show(page, { message: 'Saved', severity: 'info' });
    expect(await messages(page)).toEqual(['Saved', 'Saved']);
    expect(await page.locator('.count').textContent()).toBe('×22 times');
    await page.clock.runFor(4999);
    expect(await page.locator('.count').count()).toBe(1);
    await page.clock.runFor(1);
    expect(await messages(page)).toEqual([]);
  });

  test.each([
    ['comes first', [0, 3000]],
    ['comes later', [3000, 0]],
  ])('stays for good where the one that does %s', async (_, durations) => {
    const page = await open();
    for (const duration of durations) await show(page, { ...failing, duration });
    await page.clock.runFor(3_600_000);
    expect(await messages(page)).toEqual(['Disk failing']);
  });

  test.each([[[1000, 3000]], [[3000, 1000]]])('keeps to the longer duration of %j', async (durations) => {
    const page = await open();
    for (const duration of durations) await show(page, { ...failing, duration });
    await page.clock.runFor(2999);
    expect(await messages(page)).toEqual(['Disk failing']);
    await page.clock.runFor(1);
    expect(await messages(page)).toEqual([]);
  });

  test('waits in front once one of them stays for good', async () => {
    const page = await open();
    for (const message of ['1', '2', '3', '4', '5']) await show(page, { message, severity: 'info' });
    await show(page, { message: '5', severity: 'info', duration: 0 });
    await cards(page).first().getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual(['2', '3', '5']);
  });

  test('answers to the ids of all that it stands for, and goes once', async () => {
    const page = await open();
    const ids = [
      await show(page, failing),
      await show(page, failing),
      await show(page, { ...failing, id: 'tool-1' }),
      await show(page, { ...failing, id: 'tool-2' }),
    ];
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) {
      expect(await update(page, id, { title: id })).toBe(true);
      expect(await cards(page).locator('.title').allTextContents()).toEqual([id]);
    }
    expect(await page.evaluate(() => document.querySelector('deskside-toaster')?.history.length)).toBe(1);
    expect(await dismiss(page, 'tool-1')).toBe(true);
    expect(await messages(page)).toEqual([]);
    for (const id of ids) {
      expect([await update(page, id, { title: id }), await dismiss(page, id)]).toEqual([false, false]);
    }
  });
});
