import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { InboxRequest } from '@deskside/desktop';
import { type Desktop, missingPackages, needs, openDesktop, waitFor } from '../testing/desktop.ts';
import { measuredWindows, type PageSize } from '../testing/measured-window.ts';
import { choosePart, IS_PROOF } from '@deskside/testkit';

choosePart(4);

const SCREEN = { width: 1950, height: 1350 };
/** Pixels of the page: what the browser rounds up, and the margin of the last line. */
const MAX_GAP_PX = 8;
/** Of the screen. The browser does not know the frame of its window, and the last pixel of a scale is rounded. */
const MAX_DISTANCE_PIXELS = 24;
const MAX_ROUNDING_PIXELS = 5;
/** A later change of the size is the person's. */
const ANSWER_MS = 1000;

const LINE = 'A line of a question that is not very long.\n\n';
const SAMPLES: readonly (readonly [name: string, question: Partial<InboxRequest>])[] = [
  [
    'an approval',
    {
      message: 'Run shop › refund?',
      approval: {
        arguments: [
          { name: 'order', value: '2026-1187' },
          { name: 'path', value: `/home/ada/returns/2026/11/${'long/'.repeat(12)}file.txt` },
          { name: 'note', value: 'First line\nSecond line\nThird line' },
        ],
        calls: 1,
        more: ['session', 'always'],
        isExact: false,
        claim: 'The server says: this destroys data.',
      },
    },
  ],
  ['a question', { message: 'Which one?' }],
  ['a question with replies', { message: LINE.repeat(3), options: ['yes', 'no'] }],
  ['a question that is too long', { message: LINE.repeat(60) }],
];
/** Without the long count, each sample at one scale. */
const ALL = [1.5, 1, 1.25, 2].flatMap((scale, index) =>
  SAMPLES.filter((_, place) => IS_PROOF || place === index).map(([name, question]) => ({
    name,
    scale,
    question,
  })),
);

describe.skipIf(missingPackages.length > 0)(`the size of a window${needs}`, () => {
  let home: string;
  let desktop: Desktop;
  let windows: ReturnType<typeof measuredWindows>;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'popup-'));
    desktop = await openDesktop(home, { screen: `${SCREEN.width}x${SCREEN.height}` });
    windows = measuredWindows(home, desktop);
  });
  afterAll(async () => {
    await desktop[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  async function open(question: Partial<InboxRequest>, scale: number) {
    desktop.resources(`Xft.dpi: ${96 * scale}`);
    const window = await windows.open(question);
    onTestFinished(() => window.close());
    return window;
  }

  /** What is wrong with the window: the page's own view, and that of the screen. */
  async function problems(page: PageSize): Promise<string[]> {
    const window = desktop.popup();
    if (window === undefined) return ['no window'];
    const extents = desktop.run('xprop', '-id', window.id, '_NET_FRAME_EXTENTS').match(/\d+/g) ?? [];
    const [left = 0, right = 0, top = 0, bottom = 0] = extents.map(Number);
    const away = {
      x: window.x + (window.width + right - left) / 2 - SCREEN.width / 2,
      y: window.y + (window.height + bottom - top) / 2 - SCREEN.height / 2,
    };
    const { scale, width, height, highest } = page;
    const isHighest = height >= highest;
    const found = {
      cut: !isHighest && (page.hidden > 0 || page.hiddenOfMessage > 0),
      'packed closely': page.isPackedClosely,
      'higher than its limit': height > highest + MAX_GAP_PX,
      'a gap below the content': page.gap > MAX_GAP_PX,
      'not in the center': Math.hypot(away.x, away.y) > MAX_DISTANCE_PIXELS,
      'not as high as its page': Math.abs(window.height - scale * height) > MAX_ROUNDING_PIXELS,
      'not as wide as its page': Math.abs(window.width - scale * width) > MAX_ROUNDING_PIXELS,
      'another width': Math.abs(width - 500) > MAX_GAP_PX,
    };
    const names = Object.entries(found).flatMap(([name, isFound]) => (isFound ? [name] : []));
    return [...names, ...page.outOfView.map((selector) => `${selector} is out of view`)];
  }

  test.each(ALL)('shows all of $name at scale $scale, and nothing more', async ({ question, scale }) => {
    const window = await open(question, scale);
    await expect.poll(async () => problems(await window.size())).toStrictEqual([]);
    expect((await window.size()).scale).toBe(scale);
  });

  test('stays in the center until the person uses it, then its upper edge stays, and then the size of the person', async () => {
    const window = await open({ message: 'Which one?' }, 1.5);
    await waitFor(() => window.acceptsKeys(), 'the window accepts keys');
    await expect.poll(async () => problems(await window.size())).toStrictEqual([]);
    const before = desktop.popup();
    desktop.key(...Array.from({ length: 4 }, () => 'shift+Return'));
    await waitFor(() => (desktop.popup()?.height ?? 0) > (before?.height ?? 0) + 80, 'the window has grown');
    await expect.poll(async () => (await window.size()).hidden).toBe(0);
    expect(Math.abs((desktop.popup()?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(MAX_ROUNDING_PIXELS);
    desktop.key('ctrl+a', 'b');
    await waitFor(
      () => (desktop.popup()?.height ?? 0) < (before?.height ?? 0) + 4,
      'the window is small again',
    );
    await delay(2 * ANSWER_MS);
    desktop.run('xdotool', 'windowsize', '--sync', before?.id ?? '', '900', '700');
    await expect.poll(async () => (await window.size()).height).toBeGreaterThan(400);
    desktop.key(...Array.from({ length: 4 }, () => 'shift+Return'));
    await delay(2 * ANSWER_MS);
    const { width, height } = desktop.popup() ?? {};
    expect({ width, height }).toStrictEqual({ width: 900, height: 700 });
  });
});
