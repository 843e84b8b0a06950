import { choosePart, IS_PROOF, SEED } from '@deskside/testkit';
import { array, assert, asyncProperty, constant, constantFrom, integer, oneof, record } from 'fast-check';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { missingPackages, needs } from '../testing/desktop.ts';
import { open, type OpenPage } from '../testing/page-in-browser.ts';
import { popupSpec } from '../testing/samples.ts';

choosePart(2);

const COUNT = IS_PROOF ? 200 : 4;

const LONG = 'Reads a file and sends nothing. '.repeat(60);

/** Twelve tools; one has a line that is longer than the window. */
const PARTS = Array.from({ length: 12 }, (_, index) => ({
  title: `tool number_${index + 1}`,
  claim: index % 2 === 0 ? 'reads only' : 'effect unknown',
  text: index === 5 ? LONG : 'First line.\n\nLast line.',
  lines: [
    { text: '/inputSchema/type: object' },
    { text: '! names a private file: "~/.ssh"', mark: 'warning' as const },
  ],
}));

const ofReview = (parts: typeof PARTS) =>
  popupSpec({
    message: 'Add files?',
    approval: {
      arguments: [],
      calls: 1,
      more: [],
      isExact: false,
      review: { parts, offersReading: true },
    },
  });

/**
 * Records in each frame, and at each press, which texts of the review are in view, and how many were not at the last press:
 * the page may still scroll when a step begins. Independent of how the page does it.
 */
const RECORD_TEXTS = `
  const texts = [];
  const walker = document.createTreeWalker(document.getElementById('message'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (walker.currentNode.data.trim() !== '') texts.push(walker.currentNode);
  globalThis.unseenTexts = new Set(texts);
  const range = document.createRange();
  const look = () => {
    const frame = document.getElementById('message').getBoundingClientRect();
    for (const text of unseenTexts) {
      range.selectNodeContents(text);
      const { top, bottom } = range.getBoundingClientRect();
      const cut = (bottom - top) / 9;
      if (top >= Math.max(0, frame.top) - cut && bottom <= Math.min(innerHeight, frame.bottom) + cut)
        unseenTexts.delete(text);
    }
  };
  const watch = () => {
    look();
    requestAnimationFrame(watch);
  };
  const note = () => {
    look();
    globalThis.unseenAtPress = unseenTexts.size;
  };
  for (const press of ['click', 'keydown']) addEventListener(press, note, { capture: true });
  watch();`;

const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';

/** Chromium scrolls smoothly after a key or the wheel. A person presses when the page stands still. */
const STILL = `new Promise((done) => {
  let [last, frames] = ['', 0];
  const look = () => {
    const now = [scrollY, document.getElementById('message').scrollTop].join();
    frames = now === last ? frames + 1 : 0;
    last = now;
    if (frames === 5) done();
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Presses the mouse in the middle of a button, also of one that does nothing. */
async function press(page: Page, selector: string): Promise<void> {
  await page.evaluate(STILL);
  // In a low window the buttons stand below the text.
  await page.locator(selector).evaluate((element) => element.scrollIntoView({ block: 'nearest' }));
  const box = await page.locator(selector).boundingBox();
  if (box === null) return;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

const unseen = ({ page }: OpenPage) => page.locator('#unseen').innerText();

/** A review that is open for a while. */
async function openReview(parts = PARTS, look = { width: 720, height: 600 }): Promise<OpenPage> {
  const opened = await open(ofReview(parts), look);
  await opened.page.evaluate(RECORD_TEXTS);
  await opened.page.evaluate(FRAMES);
  await opened.advance(2000);
  return opened;
}

describe.skipIf(missingPackages.length > 0)(`a review in a real browser${needs}`, () => {
  test('a review that fits is accepted at once, here only its reading tools', async () => {
    const short = await openReview(PARTS.slice(0, 2));
    expect(await unseen(short)).toBe('All 2 parts were in view.');
    await press(short.page, '[data-scope=reading]');
    expect(await short.state()).toStrictEqual({ kind: 'allowed', scope: 'once', isReadingOnly: true });
  });

  test('a review that was put off opens again with what was in view, and its rest is accepted', async () => {
    const inView = new Set<number>();
    const onInView = (pieces: readonly number[]) => {
      for (const piece of pieces) inView.add(piece);
    };
    const spec = { ...ofReview(PARTS), inView, onInView };
    const look = { width: 720, height: 600 };
    const first = await open(spec, look);
    await first.page.locator('#message').evaluate((element) => element.scrollTo(0, 500));
    await first.page.evaluate(FRAMES);
    const before = await unseen(first);
    expect(before).toMatch(/^[1-9]\d* of 12 parts not yet seen\./);
    await first.advance(1000);
    await first.page.close();

    const again = await open(spec, look);
    const { page } = again;
    await expect.poll(() => unseen(again)).toBe(before);
    await again.advance(2000);
    for (const button of ['#allow', '[data-scope=reading]']) {
      await press(page, button);
      expect(await again.state()).toBe('open');
    }
    expect(await page.locator('#feedback').innerText()).toBe('Not yet. Scroll to the end.');
    while ((await unseen(again)).includes('not yet seen')) {
      await press(page, '#next-unseen');
      await page.evaluate(FRAMES);
      await again.advance(1000);
    }
    await press(page, '#allow');
    expect(await again.state()).toStrictEqual({ kind: 'allowed', scope: 'once' });
    expect(again.violations).toStrictEqual([]);
  });

  test('the keyboard alone reads to the end: Page Down, also in the box, and the button for the next part', async () => {
    const opened = await openReview();
    const { page, state, advance } = opened;
    const key = async (name: string) => {
      await page.keyboard.press(name);
      await page.evaluate(FRAMES);
      await advance(1000);
    };
    const before = await unseen(opened);
    expect(await page.evaluate('document.activeElement.id')).toBe('message');
    await page.keyboard.type('no');
    expect(await page.evaluate('document.activeElement.id')).toBe('reply');
    await key('PageDown');
    expect(await unseen(opened)).not.toBe(before);
    await page.locator('#message').focus();
    // The button shows a part and gives it the keyboard, so that a screen reader reads it.
    const focused = new Set<unknown>();
    while ((await unseen(opened)).includes('not yet seen')) {
      await page.locator('#next-unseen').focus();
      await key(focused.size % 2 === 0 ? 'Enter' : ' ');
      focused.add(
        await page.evaluate(
          `document.getElementById(document.activeElement.getAttribute('aria-labelledby'))?.innerText`,
        ),
      );
      expect([...focused]).not.toContain(undefined);
    }
    expect(focused.size).toBeGreaterThan(2);
    expect(await page.locator('#status').innerText()).toBe('All 12 parts were in view.');
    for (const selector of ['#allow', '[data-scope=reading]']) {
      await page.locator(selector).focus();
      await key('Enter');
      expect(await state()).toBe('open');
    }
    await page.locator('#allow').focus();
    await key(' ');
    expect(await state()).toStrictEqual({ kind: 'allowed', scope: 'once' });
  });

  const step = oneof(
    record({ do: constant('wheel' as const), by: integer({ min: -400, max: 900 }) }),
    record({
      do: constant('key' as const),
      key: constantFrom(
        'PageDown',
        'PageUp',
        'End',
        'Home',
        ' ',
        'Tab',
        'Shift+Tab',
        'Enter',
        'ArrowDown',
        'x',
      ),
    }),
    record({
      do: constant('press' as const),
      place: constantFrom('#allow', '[data-scope=reading]', '#next-unseen', '#reply', '#message'),
    }),
  );
  const sizes = constantFrom(
    { width: 720, height: 600 },
    { width: 500, height: 460 },
    { width: 360, height: 380 },
  );

  test(`in ${COUNT} random orders nothing is accepted with a text that was not in view (seed ${SEED})`, async () => {
    let accepted = 0;
    let opened: OpenPage | undefined;
    const property = asyncProperty(
      sizes,
      array(step, { minLength: 5, maxLength: 30 }),
      async (look, steps) => {
        opened = await openReview(PARTS, look);
        const { page, state, advance } = opened;
        for (const each of steps) {
          if (each.do === 'wheel') {
            await page.mouse.move(look.width / 2, 150);
            await page.mouse.wheel(0, each.by);
          } else if (each.do === 'key') await page.keyboard.press(each.key);
          else await press(page, each.place);
          const ending = await state();
          if (ending !== 'open') {
            accepted += ending.kind === 'allowed' ? 1 : 0;
            // Enter in the box denies with the typed line, and the keyboard also reaches "Not now".
            const isSeen = (await page.evaluate('unseenAtPress')) === 0;
            expect([...(isSeen ? ['allowed'] : []), 'denied', 'quiet']).toContain(ending.kind);
            return;
          }
          await page.evaluate(FRAMES);
          await advance(1000);
        }
        // To the end, part by part.
        for (let round = 0; await page.locator('#next-unseen').isVisible(); round += 1) {
          expect(round).toBeLessThan(60);
          await press(page, '#next-unseen');
          await page.evaluate(FRAMES);
        }
        expect(await page.evaluate('unseenTexts.size')).toBe(0);
        // Tab may have led out of the page. A press that gives a window the keyboard allows nothing.
        await page.locator('#message').focus();
        await advance(1000);
        await press(page, '#allow');
        await expect.poll(state).toStrictEqual({ kind: 'allowed', scope: 'once' });
      },
    );
    // A page that stays open draws on.
    property.afterEach(async () => opened?.page.close());
    await assert(property, { numRuns: COUNT, endOnFailure: !IS_PROOF });
    if (IS_PROOF) expect(accepted).toBeGreaterThan(0);
  });
});
