import { expect, test } from 'vitest';
import { type Position, POSITIONS, SEVERITIES } from '../notification/notification.ts';
import {
  cards,
  describeInChromium,
  dismiss,
  messages,
  openCenter,
  show,
  update,
} from '../testing/browser.ts';

const diskFailing = { message: 'Disk failing', severity: 'error' } as const;
const uploaded = { message: 'Uploaded', severity: 'success' } as const;

describeInChromium(({ open }) => {
  test('each severity has its own icon, color and name', async () => {
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
      ['Warning', 'Success', 'Information', 'Error'].map((name) => `${name}: Sync completed`),
    );
    expect(new Set(tones).size).toBe(4);
    expect(new Set(icons).size).toBe(4);
  });

  test.each(POSITIONS)('a toast appears at %s', async (position) => {
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

  test('an error is shown and announced at once: it displaces the oldest toast that is not an error', async () => {
    const page = await open();
    for (const message of ['1', '2', '3']) await show(page, { message, severity: 'info', duration: 0 });
    await show(page, { message: 'production is down', severity: 'error', duration: 0 });
    expect(await messages(page)).toEqual(['production is down', '3', '2']);
    expect(await page.getByRole('alert').textContent()).toBe('Error: production is down');
    expect(await page.locator('.more').textContent()).toBe('1 more');
    for (const message of ['e2', 'e3', 'e4']) await show(page, { message, severity: 'error', duration: 0 });
    expect(await messages(page)).toEqual(['e4', 'e3', 'e2']);
    await show(page, { message: 'production is down', severity: 'error', duration: 0 });
    expect(await messages(page)).toEqual(['production is down', 'e4', 'e3']);
  });

  test('an error does not displace the toast that has focus', async () => {
    const page = await open();
    for (const message of ['1', '2', '3']) await show(page, { message, severity: 'info', duration: 0 });
    await cards(page).first().focus();
    await show(page, { message: 'urgent', severity: 'error' });
    expect(await messages(page)).toEqual(['3', '2', 'urgent']);
  });

  test('three toasts are visible at a position; the others wait, errors first', async () => {
    const page = await open();
    for (const message of ['1', '2', '3', '4']) await show(page, { message, severity: 'info' });
    await show(page, { message: 'urgent', severity: 'error' });
    await show(page, { message: 'elsewhere', severity: 'info', position: 'bottom-right' });
    expect(await messages(page)).toEqual(['urgent', '3', '2']);
    expect(await messages(page, 'bottom-right')).toEqual(['elsewhere']);
    await expect.poll(() => page.locator('.stack.top-right .more').textContent()).toBe('2 more');
    await cards(page).nth(1).getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual(['urgent', '2', '1']);
    await cards(page).nth(1).getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual(['urgent', '1', '4']);
    expect(await page.locator('.more').count()).toBe(0);
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

  test('a toast with actions stays long enough to read it, unless exact-durations is set', async () => {
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

  test('show throws the error of the tool for a message that is too long', async () => {
    const page = await open();
    await expect(show(page, { message: 'x'.repeat(501), severity: 'info' })).rejects.toThrow(
      'Message too long (max 500 characters)',
    );
    expect(await messages(page)).toEqual([]);
  });

  test('a closed toast fades out, then the layer closes', async () => {
    const page = await open({ reducedMotion: 'no-preference', clock: false });
    await show(page, { message: 'going', severity: 'info', duration: 0 });
    await cards(page).getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.locator('.card').count()).toBe(0);
    await expect
      .poll(() => page.locator('.layer').evaluate((layer) => layer.matches(':popover-open')))
      .toBe(false);
  });

  test('an equal toast is counted on the visible one, whose time starts again', async () => {
    const page = await open();
    await show(page, { message: 'Saved', severity: 'success' });
    await page.clock.runFor(4000);
    await show(page, { message: 'Saved', severity: 'success' });
    await show(page, { message: 'Saved', severity: 'info' });
    expect(await messages(page)).toEqual(['Saved', 'Saved']);
    const count = page.locator('.count');
    expect([await count.textContent(), await count.getAttribute('aria-label')]).toEqual(['×2', '2 times']);
    await page.clock.runFor(4999);
    expect(await page.locator('.count').count()).toBe(1);
    await page.clock.runFor(1);
    expect(await messages(page)).toEqual([]);
  });

  test.each([
    ['comes first', [0, 3000]],
    ['comes later', [3000, 0]],
  ])('repeated toasts never close if the persistent one %s', async (_, durations) => {
    const page = await open();
    for (const duration of durations) await show(page, { ...diskFailing, duration });
    await page.clock.runFor(3_600_000);
    expect(await messages(page)).toEqual(['Disk failing']);
  });

  test.each([[[1000, 3000]], [[3000, 1000]]])(
    'repeated toasts with the durations %j close after the longer one',
    async (durations) => {
      const page = await open();
      for (const duration of durations) await show(page, { ...diskFailing, duration });
      await page.clock.runFor(2999);
      expect(await messages(page)).toEqual(['Disk failing']);
      await page.clock.runFor(1);
      expect(await messages(page)).toEqual([]);
    },
  );

  test('a waiting toast moves to the front if a persistent one repeats it', async () => {
    const page = await open();
    for (const message of ['1', '2', '3', '4', '5']) await show(page, { message, severity: 'info' });
    await show(page, { message: '5', severity: 'info', duration: 0 });
    await cards(page).first().getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual(['2', '1', '5']);
  });

  test('a repeated toast accepts the ids of all its repetitions, and closes once', async () => {
    const page = await open();
    const ids = [
      await show(page, diskFailing),
      await show(page, diskFailing),
      await show(page, { ...diskFailing, id: 'tool-1' }),
      await show(page, { ...diskFailing, id: 'tool-2' }),
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

  test('update changes a toast in its place, and restarts its time', async () => {
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
  });

  test('update with { duration: 0 } moves a waiting toast to the front', async () => {
    const page = await open();
    for (const message of ['1', '2', '3', '4']) await show(page, { message, severity: 'info' });
    const id = await show(page, { message: 'waits', severity: 'info' });
    expect(await update(page, id, { duration: 0 })).toBe(true);
    await cards(page).first().getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual(['2', '1', 'waits']);
  });

  test('a waiting toast that update turns into an error is shown and announced at once', async () => {
    const page = await open();
    for (const message of ['1', '2', '3', '4']) await show(page, { message, severity: 'info' });
    const id = await show(page, { message: 'waits', severity: 'info' });
    expect(await update(page, id, { severity: 'error' })).toBe(true);
    expect(await messages(page)).toEqual(['waits', '3', '2']);
    expect(await page.getByRole('alert').textContent()).toBe('Error: waits');
  });

  test('show with a known id updates the toast, and shows it again if it has closed', async () => {
    const page = await open();
    await show(page, { id: 'up', message: 'Uploading', severity: 'info', duration: 0 });
    await show(page, { message: 'Other', severity: 'info', duration: 0 });
    expect(await show(page, { id: 'up', ...uploaded })).toBe('up');
    expect(await messages(page)).toEqual(['Other', 'Uploaded']);
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual(['Other']);
    await show(page, { id: 'up', ...uploaded });
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

  test('a click on the number of waiting toasts opens the notification center, which shows new ones too', async () => {
    const page = await open();
    for (const message of ['1', '2', '3', '4']) await show(page, { message, severity: 'info' });
    await page.getByRole('button', { name: '1 more' }).click();
    await show(page, { message: '5', severity: 'info' });
    expect(await page.locator('.center .message').allTextContents()).toEqual(['5', '4', '3', '2', '1']);
  });

  test('the history has the latest 50 of 200 toasts that come within a second', async () => {
    const page = await open({ clock: false, reducedMotion: 'no-preference' });
    await page.evaluate(async () => {
      const toaster = document.querySelector('deskside-toaster');
      const severities = ['info', 'success', 'warning', 'error'] as const;
      const positions = ['top-right', 'top-center', 'bottom-right'] as const;
      for (let n = 0; n < 200; n += 1) {
        const [severity = 'info', position = 'top-right'] = [severities[n % 4], positions[n % 3]];
        const duration = 1 + (n % 100);
        toaster?.show({ message: `Job ${n} is done`, title: 'Jobs', severity, position, duration });
        await new Promise((resolve) => {
          setTimeout(resolve, 5);
        });
      }
    });
    const history = await page.evaluate(() =>
      document.querySelector('deskside-toaster')?.history.map(({ notification }) => notification.message),
    );
    expect(history).toEqual(Array.from({ length: 50 }, (_, n) => `Job ${199 - n} is done`));
  });
});
