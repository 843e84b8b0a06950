import { describe, expect, test } from 'vitest';
import { missingPackages, needs } from '../testing/desktop.ts';
import { open } from '../testing/page-in-browser.ts';
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

async function openCall() {
  const opened = await open(popupSpec({ message: 'Run shop › pay?', approval: approval('ada') }));
  const { page, server, advance } = opened;
  const show = async (shown: Approval, count: number) => {
    server.notify({ kind: 'approval', approval: shown });
    await page.locator(`.call:nth-child(${count}):last-child`).waitFor({ state: 'attached' });
  };
  await advance(GUARD_MS);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  return { ...opened, show, press };
}

describe.skipIf(missingPackages.length > 0)(`several calls of a tool in one page${needs}`, () => {
  test('a press after a call has joined means nothing for the guard interval, and then all that is shown', async () => {
    const { show, press, advance, state, server, page, violations } = await openCall();
    expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(1);
    await show(approval('ada', 'bob'), 2);
    await press('Allow all shown once');
    await press('Deny all');
    await advance(GUARD_MS - 1);
    await press('Allow all shown once');
    expect(await state()).toBe('open');
    await advance(1);
    await press('Allow all shown once');
    expect(await server.ended).toStrictEqual({ kind: 'allowed', scope: 'once', ids: ['ada', 'bob'] });
    expect(violations).toStrictEqual([]);
  });

  test('a call can be decided on alone, and one that has gone is not shown', async () => {
    const { show, advance, server, page } = await openCall();
    await show(approval('ada', 'bob', 'eve'), 3);
    await show(approval('bob', 'eve'), 2);
    expect(await page.locator('.call dd').allInnerTexts()).toStrictEqual(['bob', 'eve']);
    await advance(GUARD_MS);
    await page.keyboard.type('not this');
    await page.locator('.call').nth(1).getByRole('button', { name: 'Deny' }).click();
    expect(await server.ended).toStrictEqual({ kind: 'denied', text: 'not this', ids: ['eve'] });
  });

  test('what is unfolded stays so when more equal calls wait, which starts no guard interval', async () => {
    const { show, press, advance, server, page } = await openCall();
    await show(approval('ada', LONG), 2);
    await advance(GUARD_MS);
    await page.locator('details').click();
    server.notify({ kind: 'approval', approval: { ...approval('ada', LONG), calls: 4 } });
    await page.getByText('4 equal calls wait. "Allow once" runs one of them.').waitFor();
    expect(await page.locator('details[open]').count()).toBe(1);
    expect(await page.locator('details pre').innerText()).toBe(LONG);
    await press('Deny all');
    expect(await server.ended).toStrictEqual({ kind: 'denied', text: '', ids: ['ada', LONG] });
  });
});
