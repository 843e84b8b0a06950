import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cards, describeInChromium, messages, show } from '../testing/browser.ts';

/** Starts work in the page that `finish` ends. */
function startWork(page: Page): Promise<void> {
  return page.evaluate(() => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const toaster = document.querySelector('deskside-toaster');
    const finished = toaster?.promise(promise, {
      loading: { message: 'Uploading' },
      success: (files) => ({ message: `${files} files uploaded` }),
      error: (reason) => ({ message: `Upload failed: ${String(reason)}`, duration: 0 }),
    });
    finished?.catch(() => undefined);
    Object.assign(globalThis, { resolve, reject });
  });
}

describeInChromium(({ open }) => {
  test('a loading toast shows a spinner and stays until its id comes again', async () => {
    const page = await open();
    const deploying = { id: 'deploy', message: 'Deploying', severity: 'info', loading: true } as const;
    await show(page, { ...deploying, duration: 1000 });
    await page.clock.runFor(60_000);
    expect(await messages(page)).toEqual(['Deploying']);
    expect(await cards(page).getAttribute('aria-label')).toBe('In progress: Deploying');
    expect(await cards(page).locator('.icon.loading').count()).toBe(1);
    expect(await page.getByRole('status').textContent()).toBe('');
    await show(page, { id: 'deploy', message: 'Deployed', severity: 'success' });
    expect(await page.getByRole('status').textContent()).toBe('Success: Deployed');
    expect(await cards(page).locator('.icon.loading').count()).toBe(0);
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual([]);
  });

  test('the end of a run ends the spinner: the toast says so, is announced, and goes when it was read', async () => {
    const page = await open();
    const run = { id: 'deploy', message: 'Deploying', timestamp: '2026-11-21T11:00:00.000Z' } as const;
    await show(page, { ...run, severity: 'info', loading: true });
    await show(page, { ...run, severity: 'warning', ended: true, timestamp: '2026-11-21T11:00:00.001Z' });
    expect(await cards(page).locator('.text').innerText()).toContain('Ended without a result');
    expect(await page.getByRole('status').textContent()).toBe('Warning: Deploying Ended without a result');
    expect(await cards(page).locator('.loading').count()).toBe(0);
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual([]);
  });

  test('promise shows the work, then its result in the same toast', async () => {
    const page = await open();
    await startWork(page);
    await startWork(page);
    expect(await messages(page)).toEqual(['Uploading', 'Uploading']);
    await page.evaluate('resolve(3)');
    expect(await messages(page)).toEqual(['3 files uploaded', 'Uploading']);
    expect(await cards(page).first().getAttribute('aria-label')).toBe('Success: 3 files uploaded');
  });

  test('promise shows the error of work that fails, and passes it on', async () => {
    const page = await open();
    await startWork(page);
    await page.evaluate("reject('no space')");
    expect(await messages(page)).toEqual(['Upload failed: no space']);
    expect(await page.getByRole('alert').textContent()).toBe('Error: Upload failed: no space');
  });
});
