import { describe, expect, test } from 'vitest';
import { missingPackages, needs } from '../testing/desktop.ts';
import { open, openUsable } from '../testing/page-in-browser.ts';
import { popupSpec } from '../testing/samples.ts';
import type { Approval } from '@deskside/desktop';

const GUARD_MS = 600;
const LONG = 'x'.repeat(500);

const call = (id: string, value: string) => ({ id, arguments: [{ name: 'to', value }], calls: 1 });
const approval = (first: string, ...others: readonly string[]): Approval => ({
  ...call(first, first),
  others: others.map((id) => call(id, id)),
  more: ['session', 'always'],
  isExact: true,
});

async function openWith(given: Approval) {
  const opened = await openUsable(popupSpec({ message: 'Run shop › query?', approval: given }));
  const { page, server, advance } = opened;
  const press = async (name: string, within = '#form') => {
    await page.locator(within).getByRole('button', { name, exact: true }).click({ force: true });
    await advance(GUARD_MS);
  };
  const show = async (shown: Approval, count: number) => {
    server.notify({ kind: 'approval', approval: shown });
    await page.locator(`.call:nth-child(${count}):last-child`).waitFor({ state: 'attached' });
  };
  return { ...opened, press, show };
}

describe.skipIf(missingPackages.length > 0)(`several calls of a tool in one page${needs}`, () => {
  test('a call can be decided on alone, and one that has gone is not shown', async () => {
    const { show, advance, server, page } = await openWith(approval('ada'));
    await show(approval('ada', 'bob', 'eve'), 3);
    await show(approval('bob', 'eve'), 2);
    expect(await page.locator('.call dd').allInnerTexts()).toStrictEqual(['bob', 'eve']);
    await advance(GUARD_MS);
    await page.keyboard.type('not this');
    await page.locator('.call').nth(1).getByRole('button', { name: 'Deny' }).click();
    expect(await server.ended).toStrictEqual({ kind: 'denied', text: 'not this', ids: ['eve'] });
  });

  test('what is unfolded stays so when more equal calls wait, which starts no guard interval', async () => {
    const { show, advance, server, page } = await openWith(approval('ada'));
    await show(approval('ada', LONG), 2);
    await advance(GUARD_MS);
    await page.locator('details').click();
    server.notify({ kind: 'approval', approval: { ...approval('ada', LONG), calls: 4 } });
    await page.getByText('4 equal calls wait. "Allow once" runs one of them.').waitFor();
    expect(await page.locator('details[open]').count()).toBe(1);
    await expect.poll(() => page.locator('details pre').innerText()).toBe(LONG);
    await page.keyboard.type('not this');
    await page.keyboard.press('Enter');
    expect(await server.ended).toStrictEqual({ kind: 'denied', text: 'not this', ids: ['ada', LONG] });
  });
});

/** The order that matters stands behind a long comment. */
const HIDING = `SELECT id FROM customers /* ${'x'.repeat(300)} */; DROP TABLE customers`;

describe.skipIf(missingPackages.length > 0)(`what an approval shows${needs}`, () => {
  test('a folded value shows its end, and no button allows it before it was unfolded', async () => {
    const { page, press, state, server } = await openWith(approval(HIDING));
    expect(await page.locator('summary').innerText()).toMatch(/SELECT id FROM.*… .*DROP TABLE customers/s);
    await press('Allow for longer');
    for (const name of [
      'Allow once',
      'Allow all calls of this tool in this session',
      'Always allow it with exactly these arguments',
    ]) {
      await press(name);
      expect(await state()).toBe('open');
    }
    expect(await page.locator('#feedback').innerText()).toBe(
      'Not yet. Look at what is folded or out of view.',
    );
    await page.locator('summary').click();
    // A browser tells later that something was unfolded.
    await expect.poll(() => page.locator('#allow').getAttribute('aria-disabled')).toBe('false');
    await press('Always allow it with exactly these arguments');
    expect(await server.ended).toMatchObject({ kind: 'allowed', scope: 'always' });
  });

  test('of twenty calls each is allowed alone when it was in view, and all of them when all were', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `call ${index} ${'y'.repeat(250)}`);
    const [first = '', ...others] = ids;
    const { page, press, state, server } = await openWith(approval(first, ...others));
    await press('Allow all shown once');
    await page.locator('.call').last().locator('[data-scope]').dispatchEvent('click');
    expect(await state()).toBe('open');
    await press('Allow once', '.call:first-child');
    expect(await server.ended).toStrictEqual({ kind: 'allowed', scope: 'once', ids: [first] });
  });

  test('"Show the next" unfolds 60 kB, and a call that joins is to be seen, too', async () => {
    const long = { ...approval('ada'), arguments: [{ name: 'to', value: 'z'.repeat(60_000) }] };
    const { page, press, state, server, show } = await openWith(long);
    await page.getByRole('button', { name: 'Show the next' }).click();
    expect(await page.locator('details[open]').count()).toBe(1);
    await expect.poll(() => page.locator('#unseen').innerText()).toContain('have seen');
    await show({ ...long, others: [call('bob', HIDING)] }, 2);
    await press('Allow all shown once');
    await press('Allow all shown once');
    expect(await state()).toBe('open');
    await press('Deny all');
    expect(await server.ended).toMatchObject({ kind: 'denied' });
  });
});

const SEVERAL = {
  message: 'Before I start:',
  questions: [
    { question: 'Which **database**?', options: ['PostgreSQL', 'SQLite'] },
    { question: 'Which colors?', options: ['Red', 'Blue'], multiple: true },
    { question: 'Why?' },
  ],
};

const sent = (text: string) => ({ kind: 'submitted', text }) as const;

describe.skipIf(missingPackages.length > 0)(`several questions in one page${needs}`, () => {
  test('several questions are answered with the keyboard alone: Enter goes on, and sends when all are answered', async () => {
    const { page, server, violations, state } = await openUsable(popupSpec(SEVERAL));
    const focused = () => page.evaluate('document.activeElement.id');
    expect(await focused()).toBe('reply-1');
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('reply-2');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    await page.keyboard.type('and gray');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('reply-3');
    expect(await state()).toBe('open');
    await page.keyboard.type('1. Because');
    await page.keyboard.press('Enter');
    expect(await server.ended).toStrictEqual(
      sent('1. Which **database**?\n> SQLite\n2. Which colors?\n> Blue\n> and gray\n3. Why?\n> 1. Because'),
    );
    expect(violations).toStrictEqual([]);
  });

  test('questions without an answer are named, and a second press sends without them', async () => {
    const { page, server, state } = await openUsable(popupSpec(SEVERAL));
    await page.getByRole('button', { name: 'SQLite' }).click();
    expect(await page.locator('#reply-1').inputValue()).toBe('SQLite');
    await page.getByRole('button', { name: 'PostgreSQL' }).click();
    expect(await state()).toBe('open');
    const send = page.getByRole('button', { name: 'Send' });
    await send.click();
    expect(await page.locator('#feedback').innerText()).toMatch(
      /^No answer to question 2, 3\. (Press Enter|Send) again to send without\.$/,
    );
    expect(await state()).toBe('open');
    await send.click();
    expect(await server.ended).toStrictEqual(
      sent('1. Which **database**?\n> PostgreSQL\n2. Which colors?\n(not answered)\n3. Why?\n(not answered)'),
    );
  });

  test('what was answered and typed for several questions is there again after Later', async () => {
    const first = await openUsable(popupSpec(SEVERAL));
    first.server.notify({
      kind: 'waiting',
      waiting: [{ id: '1', caller: 'A', since: '', firstLine: 'B?', here: true }],
    });
    await first.page.locator('#reply-3').fill('line one\n\nline two');
    await first.page.getByRole('checkbox', { name: 'Blue' }).click();
    await first.page.getByRole('button', { name: 'SQLite' }).click();
    await first.page.getByRole('button', { name: 'Later' }).click();
    expect(await first.server.ended).toStrictEqual({ kind: 'later' });
    const again = await open(popupSpec(SEVERAL, { typed: first.drafts.at(-1) ?? '' }));
    const value = (number: number) => again.page.locator(`#reply-${number}`).inputValue();
    expect([await value(1), await value(2), await value(3)]).toStrictEqual([
      'SQLite',
      '',
      'line one\n\nline two',
    ]);
    const checked = await again.page
      .locator('input:checked')
      .evaluateAll((inputs) => inputs.map((input) => String(Reflect.get(input, 'value'))));
    expect(checked).toStrictEqual(['Blue']);
    expect(await again.page.locator('.replies [aria-pressed=true]').innerText()).toMatch(/SQLite$/);
  });

  test('what was chosen and typed for one question with several choices is there again when the window opens again', async () => {
    const question = { message: 'Which colors?', options: ['Red', 'Blue'], multiple: true };
    const first = await openUsable(popupSpec(question));
    await first.page.locator('#reply').fill('and green');
    await first.page.getByRole('checkbox', { name: 'Blue' }).click();
    await first.page.keyboard.press('Escape');
    expect(first.drafts.at(-1)).toBe('Blue\nand green');
    const again = await openUsable(popupSpec(question, { typed: first.drafts.at(-1) ?? '' }));
    expect(await again.page.locator('#reply').inputValue()).toBe('and green');
    await again.page.getByRole('button', { name: 'Send' }).click();
    expect(await again.server.ended).toStrictEqual(sent('Blue, and green'));
  });
});
