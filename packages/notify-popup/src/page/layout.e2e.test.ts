import { choosePart } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { missingPackages, needs } from '../testing/desktop.ts';
import { open } from '../testing/page-in-browser.ts';
import type { InboxRequest } from '@deskside/desktop';
import { popupSpec } from '../testing/samples.ts';
import { expectedSize } from '../window/expected-size.ts';

choosePart(3);

const HISTORY = [{ message: 'Which **branch**?', reply: 'main\nor the other', at: new Date() }];

const DRAFT = {
  id: '1',
  text: 'typed before',
  question: 'Shall I send the report?',
  caller: 'Codex · reports',
  user: 'owner',
  savedAt: '2026-03-01T09:00:00.000Z',
};

const LONG = 'word '.repeat(1999);

/** How long the page waits until its sizes no longer change. */
const SETTLING_MS = 100;

const NINE_REPLIES = Array.from(
  { length: 9 },
  (_, index) => `${index}${' a quick reply'.repeat((index % 3) + 1)}`,
);

const TABLE = [
  '| Region | Plan | Price |',
  '| --- | :-: | --: |',
  '| EU | small | 12.00 |',
  `| US | ${'words of a cell '.repeat(5)} | 40.00 |`,
].join('\n');

const approval = (value: string): Partial<InboxRequest> => ({
  message: 'Codex wants to refund an order',
  approval: {
    arguments: [
      { name: 'order', value: '2026-1187' },
      { name: 'note', value },
    ],
    calls: 1,
    more: ['session'],
    isExact: false,
  },
});

const MISSED = {
  id: '1',
  caller: 'Codex · billing',
  firstLine: 'Well?',
  since: '2026-03-01T09:58:00.000Z',
  here: true,
};

const SIX = ['unit', 'e2e', 'proof', 'lint', 'types', 'format'];

/** How much of an element is hidden until one scrolls in it. */
const hiddenOf = (element: string) =>
  `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(${element})`;

describe.skipIf(missingPackages.length > 0)(`the layout of the page${needs}`, () => {
  test('a long message gets most of the window, and the keyboard scrolls to its end, also if the window gets its size then', async () => {
    const { page } = await open(popupSpec({ message: `${LONG}last`, timeout: 90 }, { history: HISTORY }));
    const { height } = (await page.locator('#message').boundingBox()) ?? { height: 0 };
    expect(height).toBeGreaterThan(0.45 * 575);
    await page.locator('#message').focus();
    await page.keyboard.press('End');
    await page.evaluate(`for (let turn = 0; turn < 9; turn += 1) dispatchEvent(new Event('resize'))`);
    await expect.poll(() => page.evaluate(`${hiddenOf('message')} - message.scrollTop`)).toBeLessThan(2);
  });

  test.each([
    ['a question', { message: 'Which one?' }],
    ['a paragraph', { message: 'Some words of a paragraph. '.repeat(17) }],
    ['a text in lines', { message: 'One paragraph\nthat breaks its lines\nby itself.\n\nWell?' }],
    ['a list', { message: 'What I did:\n\n- the tests\n- the **notes**\n- a branch\n\nGo on?' }],
    [
      'a heading and code',
      { message: '## Deploy\n\nThis runs:\n\n```sh\ncd shop\nnpm ci\nnpm test\n```\n\nOK?' },
    ],
    ['a table after text', { message: `Two are left:\n\n${TABLE}` }],
    ['six choices', { message: 'Which of them?', multiple: true, options: SIX }],
    ['nine replies', { message: 'What shall I do?', options: NINE_REPLIES }],
    ['a numbered list', { message: 'Which color?\n\n1. Red\n2. Green\n3. Blue' }],
    [
      'questions with options',
      {
        message: 'First:',
        questions: [
          { question: 'Which branch?', options: ['main', 'next'] },
          { question: 'Which tests?', options: SIX, multiple: true },
        ],
      },
    ],
    ['an approval with lines', approval('First line\nSecond line')],
    ['an approval with a folded value', approval(`First line\n${'long '.repeat(60)}`)],
    ['news with a list of what was missed', { message: 'Done.', kind: 'news' as const }, [MISSED]],
  ])('the window of %s opens with a height within 8 pixels of its page', async (_, question, missed = []) => {
    const spec = popupSpec({ caller: 'Codex · shop', ...question }, { missed });
    const { width, height } = expectedSize(spec);
    const { page } = await open(spec, { width, height });
    const needed = await page.evaluate<number>(`(({ body }) => {
      body.toggleAttribute('data-measured', true);
      return body.getBoundingClientRect().height;
    })(document)`);
    expect(Math.abs(needed - height)).toBeLessThanOrEqual(8);
  });

  test.each([
    ['while it opens', false],
    ['after the person has used it', true],
  ])("a size that comes late, %s, is the person's: %s", async (_, isUsed) => {
    const { page, advance } = await open(popupSpec({ message: LONG }));
    await page.evaluate('globalThis.asked = []; globalThis.resizeTo = (_, height) => asked.push(height)');
    // The window manager has answered.
    const needed = await page.evaluate<number>('Math.floor(screen.availHeight * 0.77)');
    await page.setViewportSize({ width: 500, height: needed });
    await page.evaluate(`new Promise((done) => setTimeout(done, ${3 * SETTLING_MS}))`);
    if (isUsed) await page.keyboard.press('Shift');
    await advance(2000);
    await page.evaluate('asked.length = 0');
    await page.setViewportSize({ width: 500, height: 204 });
    await page.evaluate(`new Promise((done) => setTimeout(done, ${3 * SETTLING_MS}))`);
    await expect.poll(() => page.evaluate('asked.length > 0')).toBe(!isUsed);
  });

  test('a window whose size is not known yet, and does not change, gets the height of its content', async () => {
    const { page } = await open(popupSpec({ message: 'Which one?' }));
    await page.addInitScript(`globalThis.asked = [];
      globalThis.resizeTo = (_, height) => asked.push(height);
      globalThis.outerWidth = 0;`);
    await page.reload();
    await page.evaluate(`new Promise((done) => setTimeout(done, ${2 * SETTLING_MS}))`);
    expect(await page.evaluate('asked')).toStrictEqual([]);
    await page.evaluate('globalThis.outerWidth = 500');
    await expect.poll(() => page.evaluate('asked.length')).toBeGreaterThan(0);
  });

  test.each([
    ['long', LONG, 0.25],
    ['short', 'Which one?', 0.04],
  ])('beside a %s message an open history leaves room for everything', async (_, message, least) => {
    const long = Array.from({ length: 40 }, () => ({ message: 'again '.repeat(90), at: new Date() }));
    const { page, advance } = await open(popupSpec({ message }, { history: long }));
    const closed = await page.locator('#reply').boundingBox();
    await advance(600);
    await page.locator('#history > summary').click();
    await page.getByRole('log').waitFor();
    await expect.poll(() => page.evaluate(hiddenOf('document.body'))).toBe(0);
    const height = async (selector: string) => (await page.locator(selector).boundingBox())?.height ?? 0;
    expect(await height('#message')).toBeGreaterThan(least * 575);
    expect(await height('[role=log]')).toBeGreaterThan(0.23 * 575);
    await page.locator('#history > summary').click();
    await expect.poll(() => page.locator('#reply').boundingBox()).toStrictEqual(closed);
  });

  test('the box grows with its text, up to a limit, and shrinks again', async () => {
    const { page } = await open(popupSpec({ message: LONG }));
    const height = async () => (await page.locator('#reply').boundingBox())?.height ?? 0;
    const empty = await height();
    await page.locator('#reply').fill('line\n'.repeat(7));
    const eight = await height();
    expect(eight).toBeGreaterThan(empty + 40);
    await page.locator('#reply').fill('line\n'.repeat(500));
    expect(await height()).toBeLessThan(0.45 * 575);
    await page.locator('#reply').fill('');
    expect(await height()).toBe(empty);
  });

  test.each([
    ['at 200 % zoom', 250, 288],
    ['in 320 pixels', 320, 575],
  ])('%s everything can be reached without scrolling sideways', async (_, width, height) => {
    const message = `Which one?\n\n1. ${'a'.repeat(80)}\n2. b\n\n${'https://example.com/'.padEnd(200, 'x')}`;
    const { page } = await open(popupSpec({ message, timeout: 90 }, { history: HISTORY, drafts: [DRAFT] }), {
      width,
      height,
    });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    for (const name of ['Send', 'Cancel', 'Insert']) {
      if (name === 'Insert' && !(await page.locator('.insert').isVisible()))
        await page.locator('#drafts > summary').click({ trial: true });
      else await page.getByRole('button', { name }).click({ trial: true });
    }
  });

  test('nine quick replies are all visible beside a short message, and leave a long one its space', async () => {
    const short = await open(popupSpec({ message: 'What shall I do?', options: NINE_REPLIES }));
    expect(await short.page.evaluate(hiddenOf("document.querySelector('.replies')"))).toBe(0);
    expect(await short.page.evaluate(hiddenOf('document.body'))).toBe(0);
    const long = await open(popupSpec({ message: LONG, options: NINE_REPLIES }));
    expect((await long.page.locator('.replies').boundingBox())?.height).toBeLessThan(0.31 * 575);
  });

  test('in a low window the buttons are visible beside a long message and nine quick replies', async () => {
    const { page } = await open(popupSpec({ message: LONG, options: NINE_REPLIES }), { height: 455 });
    expect(await page.evaluate(hiddenOf('document.body'))).toBe(0);
  });

  test('a wide table scrolls, and its words are not broken', async () => {
    const row = '| `StartLocalTime` | 12 MB | 40 ms | +3 % | the smallest of all of them |';
    const message = `| Index | Size | Reads | Writes | Remark |\n| - | - | - | - | - |\n${row}\n\n${'x'.repeat(90)}`;
    const { page } = await open(popupSpec({ message }), { width: 360 });
    const lines = `[...document.querySelectorAll('th, td code')].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getClientRects().length;
    })`;
    expect(await page.evaluate(lines)).toStrictEqual([1, 1, 1, 1, 1, 1]);
    expect(await page.evaluate('message.scrollWidth - message.clientWidth')).toBe(0);
    const table =
      '(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector("table"))';
    expect(await page.evaluate(table)).toBe(true);
  });
});
