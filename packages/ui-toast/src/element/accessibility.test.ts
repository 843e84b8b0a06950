import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { SEVERITIES } from '../notification/notification.ts';
import { describeInBrowser } from '../testing/browser.ts';
import { show } from '../testing/toasts.ts';

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

async function findings(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ content: axe.source });
  const found: readonly Finding[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
}

/** Every severity with all that a card can have. */
async function showAll(page: Page): Promise<void> {
  const full = { title: 'Build', duration: 0, actions: [...ACTIONS] };
  for (const severity of SEVERITIES) {
    const position = severity === 'error' ? 'bottom-right' : 'top-right';
    await show(page, { ...full, message: 'Something happened', severity, position });
    await show(page, { ...full, message: 'Something happened', severity, position });
    await show(page, { message: 'Only this', severity, position: 'top-center', duration: 0 });
  }
}

const ACTIONS = [
  { label: 'View Logs', action: 'prompt', prompt: 'show me the build logs' },
  { label: 'Dismiss', action: 'dismiss' },
] as const;

describeInBrowser('axe finds nothing', ({ open }) => {
  test.each(['light', 'dark'] as const)('in %s', async (colorScheme) => {
    const page = await open({ colorScheme, clock: false, bypassCSP: true });
    expect(await findings(page)).toEqual([]);
    await showAll(page);
    expect(await findings(page)).toEqual([]);
    await page.evaluate(() => document.querySelector('deskside-toaster')?.openCentre());
    expect(await findings(page)).toEqual([]);
  });
});

describeInBrowser('a screen reader', ({ open }) => {
  test('has both live regions before the first toast', async () => {
    const page = await open();
    const regions = await page
      .locator('[aria-live]')
      .evaluateAll((found) =>
        found.map((region) => [
          region.getAttribute('role'),
          region.getAttribute('aria-live'),
          region.textContent,
        ]),
      );
    expect(regions).toEqual([
      ['status', 'polite', ''],
      ['alert', 'assertive', ''],
    ]);
    const tree = await (await page.context().newCDPSession(page)).send('Accessibility.getFullAXTree');
    const roles = tree.nodes.filter(({ ignored }) => !ignored).map(({ role }) => role?.value);
    expect(roles).toEqual(expect.arrayContaining(['status', 'alert']));
  });

  test('hears errors at once and the others in turn, with the way to their actions', async () => {
    const page = await open();
    await show(page, { message: 'Sync completed', severity: 'success' });
    await show(page, {
      message: '3 tests failing',
      title: 'Build Failure',
      severity: 'error',
      actions: [{ label: 'OK', action: 'dismiss' }],
    });
    expect(await page.getByRole('status').textContent()).toBe('Success: Sync completed');
    expect(await page.getByRole('alert').textContent()).toBe(
      'Error: Build Failure. 3 tests failing Actions: press F8.',
    );
    await page.clock.runFor(10_000);
    expect(await page.getByRole('alert').textContent()).toBe('');
  });

  test('finds toasts in a named region, by their severity', async () => {
    const page = await open();
    await show(page, { message: 'Sync completed', severity: 'success', duration: 0 });
    const region = page.getByRole('region', { name: 'Notifications (F8)' });
    expect(await region.getByRole('article', { name: 'Success: Sync completed' }).count()).toBe(1);
  });

  test('hears the words of the page', async () => {
    const page = await open({ root: 'dir="rtl"' });
    await page.evaluate(() => {
      const toaster = document.querySelector('deskside-toaster');
      if (toaster !== null) toaster.labels = { error: 'خطأ', close: 'إغلاق', region: 'إشعارات' };
    });
    await show(page, { message: 'فشل البناء', severity: 'error' });
    expect(await page.getByRole('alert').textContent()).toBe('خطأ: فشل البناء');
    expect(await page.getByRole('button', { name: 'إغلاق' }).count()).toBe(1);
    const [icon, close] = await Promise.all(
      ['.icon', '.close'].map((part) => page.locator(`.card ${part}`).boundingBox()),
    );
    expect(icon?.x).toBeGreaterThan(close?.x ?? Infinity);
  });
});
