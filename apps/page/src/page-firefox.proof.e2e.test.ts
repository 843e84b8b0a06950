import axe from 'axe-core';
import { hasFirefox, sharedFirefox } from '@deskside/testkit/firefox';
import type { Page } from 'puppeteer-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDay } from './testing/day-of-four.ts';
import { openPage } from './testing/open-page.ts';

async function newPage(): Promise<Page> {
  const page = await (await sharedFirefox()).newPage();
  onTestFinished(() => page.close());
  return page;
}

describe.skipIf(!hasFirefox)('in Firefox', () => {
  test('a question is answered with the keyboard alone', async () => {
    const desk = await openPage();
    const outcome = desk.ask('Which **port**?');
    const page = await newPage();
    await page.goto(desk.link);
    await page.waitForSelector('.item .message strong');
    const since = await page.evaluate(() => performance.now());
    // The page ignores a press right after a change.
    await page.waitForFunction((at) => performance.now() - at > 700, {}, since);
    await page.keyboard.press('n');
    await page.keyboard.type('3333');
    await page.keyboard.press('Enter');
    expect(await outcome).toStrictEqual({ kind: 'submitted', text: '3333' });
    await page.waitForSelector('.item .result');
    await page.keyboard.press('4');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('today');
  });

  test('the keyboard reaches everything on the page of a day, in order, and axe finds nothing', async () => {
    const desk = await openDay();
    const page = await newPage();
    await page.setViewport({ width: 1200, height: 900 });
    await page.goto(desk.link);
    await page.waitForSelector('#records summary');
    for (const each of ['#task-list input', '#agents button', '#picture *']) await page.waitForSelector(each);
    // The Tab key reaches one bar of a track, the arrow keys the others.
    const wanted = await page.$$eval(
      ':is(a[href], button:enabled, textarea, input, select, summary, main [tabindex="0"]):not(.bar[tabindex="-1"])',
      (all) => all.filter((node) => node.checkVisibility()).length,
    );
    const reached = new Set<number>();
    await page.evaluate(() => document.querySelector<HTMLElement>('.skip')?.focus());
    for (let presses = 0; presses < wanted; presses += 1) {
      const at = await page.evaluate(() =>
        [...document.querySelectorAll('body *')].indexOf(document.activeElement ?? document.body),
      );
      // After the last one comes the browser itself.
      if (at >= 0) reached.add(at);
      await page.keyboard.press('Tab');
    }
    // In the order of the document.
    expect([...reached]).toStrictEqual([...reached].toSorted((a, b) => a - b));
    expect(reached.size).toBeGreaterThanOrEqual(wanted - 1);
    await page.evaluate(axe.source);
    const found = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))',
    );
    expect(found).toStrictEqual([]);
  });
});
