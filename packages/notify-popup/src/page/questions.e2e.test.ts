import { describe, expect, test } from 'vitest';
import { missingPackages, needs } from '../testing/desktop.ts';
import { open, type OpenPage } from '../testing/page-in-browser.ts';
import { popupSpec } from '../testing/samples.ts';

const GUARD_MS = 600;

const SEVERAL = {
  message: 'Before I start:',
  questions: [
    { question: 'Which **database**?', options: ['PostgreSQL', 'SQLite'] },
    { question: 'Which colors?', options: ['Red', 'Blue'], multiple: true },
    { question: 'Why?' },
  ],
};

const sent = (text: string) => ({ kind: 'submitted', text }) as const;
const feedback = ({ page }: OpenPage) => page.locator('#feedback').innerText();

describe.skipIf(missingPackages.length > 0)(`several questions in one page${needs}`, () => {
  test('several questions are answered with the keyboard alone: Enter goes on, and sends when all are answered', async () => {
    const opened = await open(popupSpec(SEVERAL));
    const { page, advance, server, violations } = opened;
    await advance(GUARD_MS);
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
    expect(await opened.state()).toBe('open');
    await page.keyboard.type('1. Because');
    await page.keyboard.press('Enter');
    expect(await server.ended).toStrictEqual(
      sent('1. Which **database**?\n> SQLite\n2. Which colors?\n> Blue\n> and gray\n3. Why?\n> 1. Because'),
    );
    expect(violations).toStrictEqual([]);
  });

  test.each(['Enter', 'click'])(
    'questions without an answer are named, and a second %s sends without them',
    async (how) => {
      const opened = await open(popupSpec(SEVERAL));
      const { page, advance, server } = opened;
      await advance(GUARD_MS);
      await page.getByRole('button', { name: 'SQLite' }).click();
      expect(await page.locator('#reply-1').inputValue()).toBe('SQLite');
      await page.getByRole('button', { name: 'PostgreSQL' }).click();
      expect(await opened.state()).toBe('open');
      const again = async () => {
        if (how === 'click') return page.getByRole('button', { name: 'Send' }).click();
        await page.locator('#reply-3').focus();
        return page.keyboard.press('Enter');
      };
      await again();
      expect(await feedback(opened)).toMatch(
        /^No answer to question 2, 3\. (Press Enter|Send) again to send without\.$/,
      );
      expect(await opened.state()).toBe('open');
      await again();
      expect(await server.ended).toStrictEqual(
        sent(
          '1. Which **database**?\n> PostgreSQL\n2. Which colors?\n(not answered)\n3. Why?\n(not answered)',
        ),
      );
    },
  );

  test('what was answered and typed for several questions is there again after Later', async () => {
    const first = await open(popupSpec(SEVERAL));
    await first.advance(GUARD_MS);
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
    const first = await open(popupSpec(question));
    await first.advance(GUARD_MS);
    await first.page.locator('#reply').fill('and green');
    await first.page.getByRole('checkbox', { name: 'Blue' }).click();
    await first.page.keyboard.press('Escape');
    expect(first.drafts.at(-1)).toBe('Blue\nand green');
    const again = await open(popupSpec(question, { typed: first.drafts.at(-1) ?? '' }));
    await again.advance(GUARD_MS);
    expect(await again.page.locator('#reply').inputValue()).toBe('and green');
    await again.page.getByRole('button', { name: 'Send' }).click();
    expect(await again.server.ended).toStrictEqual(sent('Blue, and green'));
  });
});
