import { expect, test } from 'vitest';
import { SEVERITIES } from '../notification/notification.ts';
import {
  cards,
  describeInChromium,
  dismiss,
  messages,
  openCenter,
  show,
  update,
} from '../testing/browser.ts';

/** After these, the notification center has its 50 of each. */
const MANY_TOASTS = process.env['DESKSIDE_PROOF'] === '1' ? 1000 : 100;

const uploaded = { message: 'Uploaded', severity: 'success' } as const;

describeInChromium(({ open }) => {
  test('each severity has its own icon and name: info is blue, success green, warning amber and error red', async () => {
    const page = await open();
    for (const severity of SEVERITIES) {
      const position = severity === 'error' ? 'top-center' : 'top-right';
      await show(page, { message: 'Sync completed', severity, position });
    }
    const looks = await page.locator('.card').evaluateAll((found) =>
      found.map((card) => {
        const icon = card.querySelector('.icon') ?? card;
        const [red = 0, green = 0, blue = 0] = (getComputedStyle(icon).color.match(/\d+/g) ?? []).map(Number);
        const most = Math.max(red, green, blue);
        const range = most - Math.min(red, green, blue);
        const sixths =
          most === red
            ? (green - blue) / range
            : most === green
              ? 2 + (blue - red) / range
              : 4 + (red - green) / range;
        const path = icon.querySelector('path')?.getAttribute('d');
        return { name: card.getAttribute('aria-label'), hue: Math.round(60 * sixths), path };
      }),
    );
    const HUES = {
      Information: [195, 245],
      Success: [120, 175],
      Warning: [20, 50],
      Error: [-20, 10],
    } as const;
    for (const [name, [from, to]] of Object.entries(HUES)) {
      const { hue } = looks.find((look) => look.name === `${name}: Sync completed`) ?? {};
      expect(hue, name).toBeGreaterThanOrEqual(from);
      expect(hue, name).toBeLessThanOrEqual(to);
    }
    expect(new Set(looks.map(({ path }) => path)).size).toBe(4);
  });

  test('an error is shown and announced at once, and displaces only the oldest of three errors', async () => {
    const page = await open();
    for (const message of ['1', '2', '3']) await show(page, { message, severity: 'info', duration: 0 });
    await show(page, { message: 'production is down', severity: 'error', duration: 0 });
    expect(await messages(page)).toEqual(['production is down', '3', '2', '1']);
    expect(await page.getByRole('alert').textContent()).toBe('Error: production is down');
    for (const message of ['e2', 'e3', 'e4']) await show(page, { message, severity: 'error', duration: 0 });
    expect(await messages(page)).toEqual(['e4', 'e3', 'e2', '3', '2', '1']);
    await show(page, { message: 'newest', severity: 'info' });
    expect(await messages(page)).toEqual(['e4', 'e3', 'e2', 'newest', '3', '2']);
  });

  test('a new toast does not displace the one that has focus', async () => {
    const page = await open();
    for (const message of ['1', '2', '3']) await show(page, { message, severity: 'info', duration: 0 });
    await cards(page).last().focus();
    await show(page, { message: 'newest', severity: 'info' });
    expect(await messages(page)).toEqual(['3', '1', 'newest']);
  });

  test('what falls out of a pile is closed as displaced, counted beside the pile, and in the center', async () => {
    const page = await open();
    await page.evaluate(() => {
      addEventListener('deskside-close', (event) => {
        if (event instanceof CustomEvent) document.title = event.detail.reason;
      });
    });
    for (const message of ['1', '2', '3', '4', '5']) await show(page, { message, severity: 'info' });
    await show(page, { message: 'elsewhere', severity: 'info', position: 'bottom-right' });
    expect(await messages(page)).toEqual(['5', '4', '3']);
    expect(await messages(page, 'bottom-right')).toEqual(['elsewhere']);
    expect(await page.title()).toBe('displaced');
    await cards(page).first().getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual(['4', '3']);
    await page.getByRole('button', { name: '2 more' }).click();
    expect(await page.locator('.center .message').allTextContents()).toEqual([
      'elsewhere',
      '5',
      '4',
      '3',
      '2',
      '1',
    ]);
    await page.keyboard.press('Escape');
    expect(await page.locator('.more').count()).toBe(0);
  });

  test('a toast that has fallen out of its pile comes back with its result, and not with its progress', async () => {
    const page = await open();
    await show(page, { id: 'job', message: 'Uploading', loading: true });
    for (const message of ['1', '2', '3']) await show(page, { message, duration: 0 });
    expect(await messages(page)).toEqual(['3', '2', '1']);
    expect(await update(page, 'job', { message: '50 %' })).toBe(true);
    expect(await messages(page)).toEqual(['3', '2', '1']);
    expect(await update(page, 'job', { ...uploaded, loading: false })).toBe(true);
    expect(await messages(page)).toEqual(['Uploaded', '3', '2']);
    const texts = await page.evaluate(() =>
      document.querySelector('deskside-toaster')?.history.map(({ notification }) => notification.message),
    );
    expect(texts).toEqual(['Uploaded', '3', '2', '1']);
    expect([await dismiss(page, 'job'), await dismiss(page, 'job')]).toEqual([true, false]);
  });

  test('a toast closes after its duration: 5000 ms by default, never for 0', async () => {
    const page = await open();
    await show(page, { message: 'default', severity: 'info' });
    await show(page, { message: 'short', severity: 'success', duration: 3000 });
    await show(page, { message: 'stays', severity: 'error', duration: 0 });
    await page.clock.runFor(2999);
    expect(await messages(page)).toEqual(['stays', 'short', 'default']);
    await page.clock.runFor(1);
    expect(await messages(page)).toEqual(['stays', 'default']);
    await page.clock.runFor(2000);
    expect(await messages(page)).toEqual(['stays']);
    await page.clock.runFor(3_600_000);
    expect(await messages(page)).toEqual(['stays']);
  });

  test('every toast has a close button, and deskside-close has the reason', async () => {
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

  test('show shortens a long text of a page, and shows the severity for one that is missing', async () => {
    const page = await open();
    await show(page, { message: 'x'.repeat(501), title: 't'.repeat(101), severity: 'info' });
    expect(await messages(page)).toEqual([`${'x'.repeat(499)}…`]);
    expect(await cards(page).locator('.title').textContent()).toBe(`${'t'.repeat(99)}…`);
    await page.evaluate(
      'document.querySelector("deskside-toaster").show({ severity: "warning", position: "top" })',
    );
    expect((await messages(page))[0]).toBe('Warning');
  });

  test('update changes a toast in its place, and restarts its time; show shows it again when it has closed', async () => {
    const page = await open();
    const id = await show(page, { message: 'Uploading', severity: 'info' });
    await show(page, { message: 'Other', severity: 'info', duration: 0 });
    await page.clock.runFor(4000);
    expect(await update(page, id, uploaded)).toBe(true);
    expect(await messages(page)).toEqual(['Other', 'Uploaded']);
    expect(await cards(page).last().getAttribute('class')).toBe('card success under');
    await page.clock.runFor(4999);
    expect(await messages(page)).toEqual(['Other', 'Uploaded']);
    await page.clock.runFor(1);
    expect(await messages(page)).toEqual(['Other']);
    expect(await update(page, id, uploaded)).toBe(false);
    expect(await show(page, { id, ...uploaded })).toBe(id);
    expect(await messages(page)).toEqual(['Uploaded', 'Other']);
  });

  test('the notification center has the latest 50 notifications, with working prompt actions', async () => {
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
    });
    await openCenter(page);
    const center = page.getByRole('dialog', { name: 'Notifications' });
    expect(await center.locator('.card').count()).toBe(50);
    expect(await center.locator('.message').first().textContent()).toBe('Build failed');
    await center.getByRole('button', { name: 'View Logs' }).click();
    expect(await page.title()).toBe('show me the build logs');
    await center.getByRole('button', { name: 'Clear all' }).click();
    expect(await center.textContent()).toContain('No notifications');
    await center.getByRole('button', { name: 'Close notifications' }).click();
    expect(await center.count()).toBe(0);
  });

  test('a burst measures the page once, draws only the cards that stay, and what was drawn before fades', async () => {
    const page = await open({ reducedMotion: 'no-preference', clock: false });
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const layouts = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? Number.NaN;
    };
    await show(page, { message: 'before', severity: 'info', duration: 0 });
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const before = await layouts();
    const drawn = await page.evaluate(async () => {
      const toaster = document.querySelector('deskside-toaster');
      for (let shown = 0; shown < 200; shown += 1) {
        const severity = shown % 4 ? 'info' : 'error';
        toaster?.show({ message: `message ${shown}`, severity, duration: 0 });
        // Results that come in one part of a stream.
        if (shown % 2) await Promise.resolve();
      }
      await new Promise(requestAnimationFrame);
      return [...(toaster?.shadowRoot?.querySelectorAll('.stack .card') ?? [])].map((card) =>
        card.classList.contains('leaving') ? 'leaving' : card.querySelector('.message')?.textContent,
      );
    });
    expect(drawn).toEqual([196, 192, 188, 199, 198, 197].map((n) => `message ${n}`).concat('leaving'));
    expect((await layouts()) - before).toBeLessThan(20);
  });

  test('the open notification center makes one format of times for all of its entries', async () => {
    const page = await open();
    await openCenter(page);
    const made = await page.evaluate(() => {
      let formats = 0;
      const { RelativeTimeFormat } = Intl;
      const counted = new Proxy(RelativeTimeFormat, {
        construct(target, args: ConstructorParameters<typeof RelativeTimeFormat>) {
          formats += 1;
          return new target(...args);
        },
      });
      Reflect.set(Intl, 'RelativeTimeFormat', counted);
      for (let shown = 0; shown < 20; shown += 1)
        document.querySelector('deskside-toaster')?.info(`message ${shown}`);
      Reflect.set(Intl, 'RelativeTimeFormat', RelativeTimeFormat);
      return formats;
    });
    expect(made).toBe(20);
  });

  test('toasts of a day leave no elements and no listeners behind', async () => {
    const page = await open();
    const session = await page.context().newCDPSession(page);
    const after = async (toasts: number) => {
      for (let shown = 0; shown < toasts; shown += 1) {
        await show(page, { message: `message ${shown}`, severity: 'info', duration: 1 });
        await page.clock.runFor(1000);
      }
      await page.clock.runFor(60_000);
      expect(await cards(page).count()).toBe(0);
      await session.send('HeapProfiler.collectGarbage');
      return session.send('Memory.getDOMCounters');
    };
    const [first, last] = [await after(60), await after(MANY_TOASTS)];
    expect(last.jsEventListeners - first.jsEventListeners).toBeLessThan(MANY_TOASTS / 4);
    expect(last.nodes - first.nodes).toBeLessThan(MANY_TOASTS / 4);
  });
});

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
});
