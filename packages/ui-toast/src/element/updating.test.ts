import { expect, test } from 'vitest';
import { describeInBrowser } from '../testing/browser.ts';
import { cards, messages, show, update } from '../testing/toasts.ts';

const uploaded = { message: 'Uploaded', severity: 'success' } as const;

describeInBrowser('an update', ({ open }) => {
  test('changes a toast by its id, in its place, and gives it its time again', async () => {
    const page = await open();
    const id = await show(page, { message: 'Uploading', severity: 'info' });
    await show(page, { message: 'Other', severity: 'info', duration: 0 });
    await page.clock.runFor(4000);
    expect(await update(page, id, uploaded)).toBe(true);
    expect(await messages(page)).toEqual(['Uploaded', 'Other']);
    expect(await cards(page).first().getAttribute('class')).toBe('card success');
    await page.clock.runFor(4999);
    expect(await messages(page)).toEqual(['Uploaded', 'Other']);
    await page.clock.runFor(1);
    expect(await messages(page)).toEqual(['Other']);
    expect(await update(page, id, uploaded)).toBe(false);
  });

  test.each([{ severity: 'error' }, { duration: 0 }] as const)(
    'of a toast that waits by %j lets it wait in front',
    async (changes) => {
      const page = await open();
      for (const message of ['1', '2', '3', '4']) await show(page, { message, severity: 'info' });
      const id = await show(page, { message: 'waits', severity: 'info' });
      expect(await update(page, id, changes)).toBe(true);
      await cards(page).first().getByRole('button', { name: 'Close' }).click();
      expect(await messages(page)).toEqual(['2', '3', 'waits']);
    },
  );
});
