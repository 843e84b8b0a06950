import axe from 'axe-core';
import type { CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { SEVERITIES } from '../notification/notification.ts';
import { describeInChromium, openCenter, show, update } from '../testing/browser.ts';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ content: axe.source });
  const found: readonly Violation[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
}

/** Records each line that the live regions get. */
async function recordAnnouncements(page: Page): Promise<void> {
  await page.evaluate(() => {
    const announced: string[] = [];
    Object.assign(globalThis, { announced });
    const regions = document
      .querySelector('deskside-toaster')
      ?.shadowRoot?.querySelectorAll('[role][aria-live]');
    for (const region of regions ?? []) {
      const record = (records: readonly MutationRecord[]) => {
        for (const { addedNodes } of records) {
          for (const line of addedNodes) announced.push(`${region.role}: ${line.textContent}`);
        }
      };
      new MutationObserver(record).observe(region, { childList: true });
    }
  });
}

/** The texts in the live regions of the accessibility tree, by the ids of their nodes. */
async function readRegions(session: CDPSession): Promise<ReadonlyMap<number, string>> {
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const regions = nodes.filter(({ role }) => role?.value === 'status' || role?.value === 'alert');
  const lines = new Map<number, string>();
  for (const region of regions) {
    const waiting = [...(region.childIds ?? [])];
    for (const id of waiting) {
      const { role, name, childIds = [], backendDOMNodeId = 0 } = byId.get(id) ?? {};
      if (role?.value === 'StaticText') lines.set(backendDOMNodeId, `${region.role?.value}: ${name?.value}`);
      else waiting.push(...childIds);
    }
  }
  return lines;
}

/** What the package aria-hidden, which Radix uses, does while `#modal` is open. */
function hideOthers(): void {
  const shown = new Set<Node>();
  const anchors = [...document.querySelectorAll('[aria-live], script'), document.querySelector('#modal')];
  for (const anchor of anchors)
    for (let node: Node | null = anchor; node; node = node.parentNode) shown.add(node);
  const hide = (parent: Element) => {
    for (const child of parent.children) {
      if (!shown.has(child)) child.setAttribute('aria-hidden', 'true');
      else if (!anchors.includes(child)) hide(child);
    }
  };
  hide(document.body);
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
  test.each(['light', 'dark'] as const)(
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

  test('both live regions exist before the first toast', async () => {
    const page = await open();
    const regions = await page
      .locator('[role][aria-live]')
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

  test('errors are announced assertively and other toasts politely, with the hotkey to their actions', async () => {
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

  test('each toast, update and error is announced once', async () => {
    const page = await open();
    await recordAnnouncements(page);
    const ids: string[] = [];
    for (const message of ['one', 'two', 'three', 'four']) {
      ids.push(await show(page, { message, severity: 'info', duration: 0 }));
    }
    await update(page, ids[0] ?? '', { message: 'one is done' });
    await show(page, { message: 'failed', severity: 'error' });
    await page.clock.runFor(60_000);
    expect(await page.evaluate('announced')).toEqual([
      ...['one', 'two', 'three', 'four', 'one is done'].map((text) => `status: Information: ${text}`),
      'alert: Error: failed',
    ]);
  });

  test('the accessibility tree gets one new line for each of three toasts, an update and an error', async () => {
    const page = await open();
    const session = await page.context().newCDPSession(page);
    const steps = [
      () => show(page, { id: 'job', message: 'one', severity: 'info', duration: 0 }),
      () => show(page, { message: 'two', severity: 'success' }),
      () => show(page, { message: 'three', severity: 'warning', duration: 0 }),
      () => update(page, 'job', { message: 'one is done' }),
      () => show(page, { message: 'failed', severity: 'error' }),
    ];
    const added: string[][] = [];
    let before = await readRegions(session);
    for (const step of steps) {
      await step();
      const after = await readRegions(session);
      added.push([...after].filter(([id]) => !before.has(id)).map(([, line]) => line));
      before = after;
    }
    expect(added).toEqual([
      ['status: Information: one'],
      ['status: Success: two'],
      ['status: Warning: three'],
      ['status: Information: one is done'],
      ['alert: Error: failed'],
    ]);
  });

  test('the live regions are not atomic: a screen reader reads only the new line', async () => {
    const page = await open();
    const tree = await (await page.context().newCDPSession(page)).send('Accessibility.getFullAXTree');
    const atomic = tree.nodes
      .filter(({ role }) => role?.value === 'status' || role?.value === 'alert')
      .map(({ properties = [] }) => properties.find(({ name }) => name === 'atomic')?.value.value);
    expect(atomic).toEqual([false, false]);
  });

  test('many updates of a toast are announced at most every two seconds, the last one too', async () => {
    const page = await open();
    await recordAnnouncements(page);
    const id = await show(page, { message: '10 %', severity: 'info', duration: 0 });
    for (const percent of [20, 30, 40, 50, 60]) await update(page, id, { message: `${percent} %` });
    await page.clock.runFor(5000);
    expect(await page.evaluate('announced')).toEqual(
      [10, 20, 60].map((percent) => `status: Information: ${percent} %`),
    );
    expect(await page.getByRole('status').textContent()).toBe('Information: 60 %');
  });

  test('a library that hides the page behind a modal does not hide the toaster from screen readers', async () => {
    const page = await open({ html: '<div id="modal" role="dialog" aria-label="Radix">Modal</div>' });
    await page.evaluate(hideOthers);
    await show(page, { message: 'Disk full', severity: 'error', duration: 0 });
    const tree = await (await page.context().newCDPSession(page)).send('Accessibility.getFullAXTree');
    const roles = tree.nodes.filter(({ ignored }) => !ignored).map(({ role }) => role?.value);
    expect(roles).toEqual(expect.arrayContaining(['dialog', 'status', 'alert', 'article']));
    expect(roles).not.toContain('heading');
  });

  test('a toast grows with the font size that the person has set in the browser', async () => {
    const page = await open({ root: 'style="font-size: 32px"', bypassCSP: true });
    await show(page, { message: 'Large', severity: 'info', duration: 0 });
    const size = (selector: string) =>
      page.locator(selector).evaluate((element) => getComputedStyle(element).fontSize);
    expect(await size('.card')).toBe('26px');
    const small = await open({ root: 'style="font-size: 10px"', bypassCSP: true });
    await show(small, { message: 'Not small', severity: 'info', duration: 0 });
    expect(await size('.card')).toBe('13px');
  });

  test('toasts are articles in a named region, with their severity in the name', async () => {
    const page = await open();
    await show(page, { message: 'Sync completed', severity: 'success', duration: 0 });
    const region = page.getByRole('region', { name: 'Notifications (F8)' });
    expect(await region.getByRole('article', { name: 'Success: Sync completed' }).count()).toBe(1);
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
