import { chosenRows } from '@deskside/testkit';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { SEVERITIES } from '../notification/notification.ts';
import { describeInChromium, openCenter, show } from '../testing/browser.ts';
import { describeInBrowsers } from '../testing/in-page.ts';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ content: axe.source });
  const found: readonly Violation[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
}

/** Every severity, with and without title and actions. */
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

describeInChromium(({ open }) => {
  test.each(chosenRows(['light', 'dark'] as const, 2))(
    'axe finds no violation in the %s color scheme',
    async (colorScheme) => {
      const page = await open({ colorScheme, clock: false, bypassCSP: true });
      expect(await axeViolations(page)).toEqual([]);
      await showAll(page);
      expect(await axeViolations(page)).toEqual([]);
      await openCenter(page);
      expect(await axeViolations(page)).toEqual([]);
    },
  );

  test('errors are announced assertively and other toasts politely, with the hotkey, and are articles in a named region', async () => {
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
    const region = page.getByRole('region', { name: 'Notifications (F8)' });
    expect(await region.getByRole('article', { name: 'Success: Sync completed' }).count()).toBe(1);
    await page.clock.runFor(10_000);
    expect(await page.getByRole('alert').textContent()).toBe('');
  });

  test('the live regions are not atomic: a screen reader reads only the new line', async () => {
    const page = await open();
    const tree = await (await page.context().newCDPSession(page)).send('Accessibility.getFullAXTree');
    const atomic = tree.nodes
      .filter(({ role }) => role?.value === 'status' || role?.value === 'alert')
      .map(({ properties = [] }) => properties.find(({ name }) => name === 'atomic')?.value.value);
    expect(atomic).toEqual([false, false]);
  });

  test('the labels of the page replace the English words, and cards mirror from right to left', async () => {
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

async function showMany(page: Page): Promise<void> {
  for (let n = 1; n <= 30; n += 1) {
    const actions = [{ label: `Action ${n}`, action: 'prompt', prompt: `do ${n}` }] as const;
    await show(page, { message: `message ${n}`, severity: 'info', duration: 1, actions });
  }
  await page.clock.runFor(600_000);
}

function focusedText(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent);
}

describeInChromium(({ open }) => {
  test('the notification center keeps focus and scroll position while notifications arrive and repeat', async () => {
    const page = await open();
    await showMany(page);
    await openCenter(page);
    const action = page.locator('.center .action', { hasText: 'do 12' });
    await action.focus();
    const top = () => action.evaluate((button) => Math.round(button.getBoundingClientRect().top));
    const before = await top();
    await show(page, { message: 'new', severity: 'info' });
    await show(page, { message: 'new', severity: 'info' });
    expect(await focusedText(page)).toContain('do 12');
    expect(await page.locator('.center .message').first().textContent()).toBe('new');
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
    await page.keyboard.press('Escape');
    expect(await page.locator('.center').isVisible()).toBe(false);
  });

  test('Clear all leaves focus in the notification center, and Escape closes it', async () => {
    const page = await open();
    await showMany(page);
    await page.locator('#page-button').focus();
    await openCenter(page);
    await page.getByRole('button', { name: 'Clear all' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.center .card').count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await page.locator('.center').isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('page-button');
  });

  test('the center tells how many notifications came since it was open, and marks them', async () => {
    const page = await open();
    await page.evaluate(() => {
      const counts: number[] = [];
      Object.assign(globalThis, { counts });
      document.querySelector('deskside-toaster')?.addEventListener('deskside-unread', (event) => {
        counts.push(event.detail);
      });
    });
    await show(page, { message: 'one', severity: 'info' });
    await openCenter(page);
    await page.keyboard.press('Escape');
    for (const id of ['two', 'three', 'three']) await show(page, { id, message: id, severity: 'info' });
    expect(await page.evaluate(() => document.querySelector('deskside-toaster')?.unread)).toBe(2);
    await openCenter(page);
    expect(await page.locator('.center .unread .message').allTextContents()).toEqual(['three', 'two']);
    await show(page, { message: 'four', severity: 'info' });
    expect(await page.evaluate('counts')).toEqual([1, 0, 1, 2, 0]);
    expect(await page.evaluate(() => document.querySelector('deskside-toaster')?.unread)).toBe(0);
  });

  test('an entry of the center is removed with its button, and the next one gets focus', async () => {
    const page = await open();
    for (const message of ['one', 'two', 'three']) await show(page, { message, severity: 'info' });
    await openCenter(page);
    await page.locator('.center li').nth(1).getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.center .message').allTextContents()).toEqual(['three', 'one']);
    await page.keyboard.press('Enter');
    expect(await page.locator('.center .message').allTextContents()).toEqual(['three']);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await page.locator('.center').isVisible()).toBe(false);
  });

  test('the center says how long ago a notification came, in the language of the page', async () => {
    const page = await open();
    await show(page, { message: 'one', severity: 'info' });
    await openCenter(page);
    const time = page.locator('.center time');
    expect(await time.textContent()).toBe('now');
    await page.clock.runFor(5 * 60_000);
    expect(await time.textContent()).toBe('5 minutes ago');
    await page.evaluate(() => {
      document.documentElement.lang = 'de';
    });
    await page.clock.runFor(2 * 3_600_000);
    expect(await time.textContent()).toBe('vor 2 Stunden');
  });

  test('a click outside the notification center closes it, and so does Escape in the page', async () => {
    const page = await open();
    await openCenter(page);
    await page.mouse.click(100, 500);
    expect(await page.locator('.center').isVisible()).toBe(false);
    await openCenter(page);
    await page.locator('#page-button').focus();
    await page.keyboard.press('Escape');
    expect(await page.locator('.center').isVisible()).toBe(false);
  });
});

describeInBrowsers((open) => {
  /** A person has begun to write, and a toast has come. */
  const openBox = async () => {
    const page = await open('<input id="box">');
    const [x, y] = await page.evaluate(async () => {
      const { toaster, draw } = tools;
      document.querySelector<HTMLElement>('#box')?.focus();
      toaster.success('Saved to the archive');
      await draw();
      const text = toaster.shadowRoot?.querySelector('.message')?.getBoundingClientRect() ?? new DOMRect();
      return [text.left + 5, text.top + 10] as const;
    });
    await page.keyboard.type('he');
    const typed = () => page.evaluate(() => document.querySelector<HTMLInputElement>('#box')?.value);
    return { page, x, y, typed };
  };

  test('a toast that comes, and a click on its text, leave focus in the text that the person writes', async () => {
    const { page, x, y, typed } = await openBox();
    await page.mouse.click(x, y);
    await page.keyboard.type('llo');
    expect(await typed()).toBe('hello');
  });

  test('focus goes back to the page if a toast expires whose text the person has selected', async () => {
    const { page, x, y, typed } = await openBox();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 95, y);
    await page.mouse.up();
    const focused = await page.evaluate(() => tools.toaster.shadowRoot?.activeElement?.ariaLabel);
    expect(focused).toBe('Success: Saved to the archive');
    await page.mouse.move(20, 600);
    const shown = await page.evaluate(async () => {
      await tools.draw();
      tools.wait(5000);
      return tools.shown();
    });
    expect(shown).toEqual([]);
    await page.keyboard.type('llo');
    expect(await typed()).toBe('hello');
  });
});
