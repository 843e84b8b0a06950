import { expect, test } from 'vitest';
import { type Position, POSITIONS, SEVERITIES } from '../notification/notification.ts';
import { describeInBrowser } from '../testing/browser.ts';
import { cards, messages, show } from '../testing/toasts.ts';

describeInBrowser('the toaster', ({ open }) => {
  test('gives each severity its icon, its tone and its name', async () => {
    const page = await open();
    for (const severity of SEVERITIES) {
      const position = severity === 'error' ? 'top-center' : 'top-right';
      await show(page, { message: 'Sync completed', severity, position });
    }
    const looks = await page.locator('.card').evaluateAll((found) =>
      found.map((card) => {
        const icon = card.querySelector('.icon');
        const tone = icon === null ? '' : getComputedStyle(icon).color;
        return [card.getAttribute('aria-label'), tone, icon?.querySelector('path')?.getAttribute('d')];
      }),
    );
    const [names, tones, icons] = [0, 1, 2].map((column) => looks.map((look) => look[column]));
    expect(names).toEqual(
      ['Information', 'Success', 'Warning', 'Error'].map((name) => `${name}: Sync completed`),
    );
    expect(new Set(tones).size).toBe(4);
    expect(new Set(icons).size).toBe(4);
  });

  test.each(POSITIONS)('stands at %s', async (position) => {
    const page = await open();
    await show(page, { message: 'Here', severity: 'info', position });
    const box = await cards(page, position).boundingBox();
    const middle = (box?.x ?? 0) + (box?.width ?? 0) / 2;
    const expected: Record<Position, [boolean, boolean]> = {
      'top-right': [true, true],
      'top-center': [false, true],
      'bottom-right': [true, false],
    };
    expect([middle > 600, (box?.y ?? 0) < 350]).toEqual(expected[position]);
    if (position === 'top-center') expect(middle).toBeCloseTo(450, 0);
  });

  test('shows three at a position and lets the others wait, errors in front', async () => {
    const page = await open();
    for (const message of ['1', '2', '3', '4']) await show(page, { message, severity: 'info' });
    await show(page, { message: 'urgent', severity: 'error' });
    await show(page, { message: 'elsewhere', severity: 'info', position: 'bottom-right' });
    expect(await messages(page)).toEqual(['1', '2', '3']);
    expect(await messages(page, 'bottom-right')).toEqual(['elsewhere']);
    await expect.poll(() => page.locator('.stack.top-right .more').textContent()).toBe('2 more');
    await cards(page).first().getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual(['2', '3', 'urgent']);
    await cards(page).first().getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual(['3', 'urgent', '4']);
    expect(await page.locator('.more').count()).toBe(0);
  });

  test('keeps to durations: 5000 by default, as given, and 0 for good', async () => {
    const page = await open();
    await show(page, { message: 'default', severity: 'info' });
    await show(page, { message: 'short', severity: 'success', duration: 3000 });
    await show(page, { message: 'stays', severity: 'error', duration: 0 });
    await page.clock.runFor(2999);
    expect(await messages(page)).toEqual(['default', 'short', 'stays']);
    await page.clock.runFor(1);
    expect(await messages(page)).toEqual(['default', 'stays']);
    await page.clock.runFor(2000);
    expect(await messages(page)).toEqual(['stays']);
    await page.clock.runFor(3_600_000);
    expect(await messages(page)).toEqual(['stays']);
  });

  test('gives actions the time it takes to read and reach them, unless durations are exact', async () => {
    const actions = [{ label: 'Details', action: 'prompt', prompt: 'x'.repeat(193) }] as const;
    const page = await open();
    await show(page, { message: 'long', severity: 'info', duration: 1000, actions });
    await page.clock.runFor(10_000);
    expect(await messages(page)).toEqual(['long']);
    await page.clock.runFor(300);
    expect(await messages(page)).toEqual([]);
    const exact = await open({ toaster: 'exact-durations' });
    await show(exact, { message: 'exact', severity: 'info', duration: 1000, actions });
    await exact.clock.runFor(1000);
    expect(await messages(exact)).toEqual([]);
  });

  test('always has a close button, and says how a toast went', async () => {
    const page = await open();
    await page.evaluate(() => {
      const reasons: string[] = [];
      Object.assign(globalThis, { reasons });
      addEventListener('deskside-close', (event) => {
        if (event instanceof CustomEvent) reasons.push(event.detail.reason);
      });
    });
    await show(page, { message: 'closed', severity: 'info', duration: 0 });
    await cards(page).getByRole('button', { name: 'Close' }).click();
    await show(page, {
      message: 'answered',
      severity: 'info',
      actions: [{ label: 'OK', action: 'dismiss' }],
    });
    await cards(page).getByRole('button', { name: 'OK' }).click();
    await show(page, { message: 'expired', severity: 'info' });
    await page.clock.runFor(5000);
    const id = await show(page, { message: 'called', severity: 'info' });
    await page.evaluate((known) => document.querySelector('deskside-toaster')?.dismiss(known), id);
    expect(await page.evaluate('reasons')).toEqual(['closed', 'action', 'expired', 'called']);
  });

  test('refuses what breaks the limits, in words', async () => {
    const page = await open();
    await expect(show(page, { message: 'x'.repeat(501), severity: 'info' })).rejects.toThrow(
      'Message too long (max 500 characters)',
    );
    expect(await messages(page)).toEqual([]);
  });

  test('leaves with a fade where motion is welcome', async () => {
    const page = await open({ reducedMotion: 'no-preference', clock: false });
    await show(page, { message: 'going', severity: 'info', duration: 0 });
    await cards(page).getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.locator('.card').count()).toBe(0);
    await expect
      .poll(() => page.locator('.layer').evaluate((layer) => layer.matches(':popover-open')))
      .toBe(false);
  });
});

describeInBrowser('the notification centre', ({ open }) => {
  test('keeps the last fifty, also those that expired, with their actions', async () => {
    const page = await open();
    for (let n = 1; n <= 52; n += 1)
      await show(page, { message: `message ${n}`, severity: 'info', duration: 1 });
    await page.clock.runFor(100);
    await show(page, {
      message: 'Build failed',
      severity: 'error',
      actions: [{ label: 'View Logs', action: 'prompt', prompt: 'show me the build logs' }],
    });
    await page.clock.runFor(60_000);
    expect(await page.locator('.stack .card').count()).toBe(0);
    await page.evaluate(() => {
      addEventListener('deskside-prompt', (event) => {
        if (event instanceof CustomEvent) document.title = event.detail.prompt;
      });
      document.querySelector('deskside-toaster')?.openCentre();
    });
    const centre = page.getByRole('dialog', { name: 'Notifications' });
    expect(await centre.locator('.card').count()).toBe(50);
    expect(await centre.locator('.message').first().textContent()).toBe('Build failed');
    await centre.getByRole('button', { name: 'View Logs' }).click();
    expect(await page.title()).toBe('show me the build logs');
    await centre.getByRole('button', { name: 'Clear all' }).click();
    expect(await centre.textContent()).toContain('No notifications');
    await centre.getByRole('button', { name: 'Close notifications' }).click();
    expect(await centre.count()).toBe(0);
  });

  test('opens from the count of those that wait, and follows what comes', async () => {
    const page = await open();
    for (const message of ['1', '2', '3', '4']) await show(page, { message, severity: 'info' });
    await page.getByRole('button', { name: '1 more' }).click();
    await show(page, { message: '5', severity: 'info' });
    expect(await page.locator('.centre .message').allTextContents()).toEqual(['5', '4', '3', '2', '1']);
  });
});
