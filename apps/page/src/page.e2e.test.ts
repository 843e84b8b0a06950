import { silentLog } from '@deskside/core';
import { escapeInvisible } from '@deskside/core/text';
import { choosePart } from '@deskside/testkit';
import { hasChromium, sharedBrowser } from '@deskside/testkit/chromium';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { renderMessage } from '@deskside/look/message';
import { testContext } from '@deskside/core/testing';
import { hasNote, withNotes, systemCall } from '@deskside/gateway';
import { namedServer } from '@deskside/gateway/testing/servers';
import { DAY, openDay } from './testing/day-of-four.ts';
import { HOSTILE, openPage } from './testing/open-page.ts';

const RECORDS = process.env['DESKSIDE_PROOF'] === '1' ? 10_000 : 2000;

const call = (id: string, value: string) => ({ id, arguments: [{ name: 'to', value }], calls: 1 });

type Desk = Awaited<ReturnType<typeof openPage>>;

const item = (page: Page, text: string) => page.locator('.item', { hasText: text });

choosePart(3);

describe.skipIf(!hasChromium)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => (browser = await sharedBrowser()));

  async function show({ link }: Pick<Desk, 'link'>, options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(link);
    await page.getByText('Connected to this desk.').waitFor();
    return { page, errors, context };
  }

  test('a question is answered with the keyboard alone, and its window closes', async () => {
    const desk = await openPage();
    const outcome = desk.ask('Which port?');
    const { page, errors } = await show(desk);
    await item(page, 'Which port?').waitFor();
    expect(await page.title()).toBe('(1) Deskside');
    expect(page.url()).toBe(`${desk.origin}/`);
    await settled(page);
    await page.keyboard.press('n');
    await page.keyboard.type('3333');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('or 3334');
    await page.keyboard.press('Enter');
    expect(await outcome).toStrictEqual({ kind: 'submitted', text: '3333\nor 3334' });
    await item(page, 'Answered.').waitFor();
    expect(await page.title()).toBe('Deskside');
    await expect.poll(() => desk.popup.windows).toHaveLength(0);
    expect(errors).toStrictEqual([]);
  });

  test('the Enter and the Escape that end a conversion of an input method are not for the page', async () => {
    const desk = await openPage();
    const outcome = desk.ask('Where to?');
    const { page } = await show(desk);
    const box = page.getByRole('textbox', { name: /Answer to/ });
    await box.waitFor();
    await settled(page);
    await page.keyboard.press('n');
    await page.keyboard.type('にほん');
    const answered: string[] = [];
    page.on('request', (request) => answered.push(new URL(request.url()).pathname));
    // Safari sends it after the end of the conversion.
    await box.evaluate((node) => {
      for (const key of ['Enter', 'Escape'])
        node.dispatchEvent(new KeyboardEvent('keydown', { key, keyCode: 229, bubbles: true }));
    });
    await page.keyboard.type('へ');
    await page.keyboard.press('Enter');
    expect(await outcome).toStrictEqual({ kind: 'submitted', text: 'にほんへ' });
    await item(page, 'Answered.').waitFor();
    expect(answered).toStrictEqual(['/answer']);
  });

  test.each([
    ['т', 'KeyN', 'TEXTAREA'],
    ['ν', 'KeyN', 'TEXTAREA'],
    // A Latin keyboard with another order.
    ['b', 'KeyN', 'BODY'],
    // A letter that another key has there.
    ['ж', 'Semicolon', 'BODY'],
  ])('the key that writes %s at %s leads to %s', async (key, code, expected) => {
    const desk = await openPage();
    void desk.ask('Which port?');
    const { page } = await show(desk);
    await item(page, 'Which port?').waitFor();
    await page.locator('body').dispatchEvent('keydown', { key, code });
    expect(await page.evaluate('document.activeElement.tagName')).toBe(expected);
  });

  test('an answer in the window ends the question here, and what was typed can be copied', async () => {
    const desk = await openPage();
    const outcome = desk.ask('Keep it?');
    const { page } = await show(desk);
    await expect.poll(() => desk.popup.windows).toHaveLength(1);
    await page.getByRole('textbox', { name: 'Answer to claude · web-shop' }).fill('half a thought');
    desk.popup.windows[0]?.end({ kind: 'submitted', text: 'yes' });
    expect(await outcome).toMatchObject({ text: 'yes' });
    await item(page, 'Answered in the window.').waitFor();
    await item(page, 'half a thought').waitFor();
  });

  test('typed text is there after the page was loaded again', async () => {
    const desk = await openPage();
    void desk.ask('Name?');
    const { page } = await show(desk);
    await page.getByRole('textbox', { name: /Answer to/ }).fill('Ada');
    await page.reload();
    expect(await page.getByRole('textbox', { name: /Answer to/ }).inputValue()).toBe('Ada');
  });

  test('a quick reply sends nothing beside another text, which can be copied after a cancellation', async () => {
    const desk = await openPage();
    const outcome = desk.ask('Delete it?', { options: ['Yes'] });
    const { page } = await show(desk);
    await page.getByRole('textbox', { name: /Answer to/ }).fill('half a thought');
    await settled(page);
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Nothing was sent: the box has another text.', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await outcome).toStrictEqual({ kind: 'cancelled' });
    await item(page, 'Cancelled.').getByText('half a thought').waitFor();
  });

  test('a page that is left within the 3 s cancels', async () => {
    const desk = await openPage();
    const outcome = desk.ask('Delete it?');
    const { page } = await show(desk);
    await settled(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.reload();
    // The timer of the 3 s went with the page.
    expect(await outcome).toStrictEqual({ kind: 'cancelled' });
  });

  test('a cancellation can be taken back for 3 s', async () => {
    const desk = await openPage();
    const outcome = desk.ask('Delete it?');
    const { page } = await show(desk);
    // Timers of before it would not be cleared after it.
    await page.clock.install();
    await page.reload();
    const answers: string[] = [];
    page.on('request', (request) => request.url().endsWith('/answer') && answers.push(request.url()));
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await cancel.waitFor();
    await settled(page);
    await cancel.click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.clock.fastForward(3000);
    await cancel.click();
    await page.clock.fastForward(3000);
    expect(await outcome).toStrictEqual({ kind: 'cancelled' });
    await item(page, 'Cancelled.').waitFor();
    expect(answers).toHaveLength(1);
  });

  const approval = { ...call('a', HOSTILE), claim: HOSTILE, more: ['session'], isExact: true } as const;
  const several = { ...approval, others: [call('b', 'x'.repeat(1000))] } as const;

  test('the keyboard stays at a question that was cancelled, and at an approval whose call has gone', async () => {
    const desk = await openPage();
    const outcome = desk.ask('Delete it?');
    void desk.ask('Run shop › pay?', { kind: 'approval', approval: several });
    const { page } = await show(desk);
    const focused = () => page.locator('.item:focus').innerText({ timeout: 2000 });
    await item(page, 'Run shop › pay?').getByRole('button', { name: 'Allow once' }).first().focus();
    desk.popup.inbox.update(desk.idOf('Run shop › pay?'), { ...approval, ...call('b', 'other') });
    await page.getByText('Other calls wait now.').waitFor();
    // The end of the sentence was the first argument of the call that waited alone.
    expect(await page.locator('.object').count()).toBe(0);
    expect(await focused()).toContain('Run shop › pay?');
    await settled(page);
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    expect(await outcome).toStrictEqual({ kind: 'cancelled' });
    await page.locator('.over', { hasText: 'Delete it?' }).waitFor();
    expect(await focused()).toContain('Delete it?');
  });

  test('an approval is denied with the keyboard, and Enter never allows', async () => {
    const desk = await openPage();
    const outcome = desk.ask('Run shop › pay?', { kind: 'approval', approval });
    const { page, errors } = await show(desk);
    await item(page, 'Run shop › pay?').waitFor();
    await settled(page);
    // Over every control: the box, Deny, Allow once, for longer.
    await page.keyboard.press('n');
    const focused = () => page.evaluate('document.activeElement?.textContent');
    await page.keyboard.press('Enter');
    for (const name of ['Deny', 'Allow once', 'Longer ▾']) {
      await page.keyboard.press('Tab');
      expect(await focused()).toBe(name);
      if (name === 'Allow once') await page.keyboard.press('Enter');
    }
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Allow all calls of this tool in this session');
    await page.keyboard.press('Enter');
    expect(desk.idOf('Run shop › pay?')).not.toBe('');
    await page.keyboard.press('n');
    await page.keyboard.type('use staging');
    await page.keyboard.press('Enter');
    expect(await outcome).toStrictEqual({ kind: 'denied', text: 'use staging', ids: ['a'] });
    await item(page, 'Denied.').waitFor();
    await expect.poll(() => desk.popup.windows).toHaveLength(0);
    expect(errors).toStrictEqual([]);
  });

  test('a press that began before a call joined, or soon after, allows nothing; every argument can be read', async () => {
    const desk = await openPage();
    const outcome = desk.ask('Run shop › pay?', { kind: 'approval', approval });
    const { page } = await show(desk);
    const shown = item(page, 'Run shop › pay?');
    await shown.waitFor();
    await settled(page);
    await shown.getByRole('button', { name: 'Allow once' }).hover();
    await page.mouse.down();
    desk.popup.inbox.update(desk.idOf('Run shop › pay?'), several);
    const all = shown.getByRole('button', { name: 'Allow all shown once' });
    await all.waitFor();
    await page.mouse.up();
    await shown.getByText('not yet seen').waitFor();
    await settled(page);
    expect(await shown.locator('pre').nth(1).isVisible()).toBe(false);
    await shown.getByText('1,000 characters').click();
    await expect.poll(() => shown.getByText('not yet seen').count()).toBe(0);
    await settled(page);
    // A press in the turn of the page that shows a further call.
    await all.evaluate((button) => {
      new MutationObserver((_, observer) => {
        observer.disconnect();
        button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
        (button as HTMLElement).click();
      }).observe(button, { childList: true });
    });
    const three = { ...several, others: [...several.others, call('c', 'z')] };
    desk.popup.inbox.update(desk.idOf('Run shop › pay?'), three);
    await shown.locator('.call').nth(2).waitFor();
    expect(await shown.locator('dt').allTextContents()).toStrictEqual(['to', 'to', 'to']);
    const [first, second = ''] = await shown.locator('pre').allTextContents();
    expect(first).toBe(HOSTILE.replace('\u202E', '\\u{202e}'));
    expect(second).toBe('x'.repeat(1000));
    expect(await shown.locator('pre').nth(1).isVisible()).toBe(true);
    expect(await page.locator('main img, main b').count()).toBe(0);
    await settled(page);
    await shown.locator('.call').nth(1).getByRole('button', { name: 'Allow once' }).click();
    expect(await outcome).toStrictEqual({ kind: 'allowed', scope: 'once', ids: ['b'] });
    await item(page, 'Allowed.').waitFor();
  });

  test('texts of others are texts, and an unknown kind is answered in the window', async () => {
    const desk = await openPage();
    void desk.ask(HOSTILE, { caller: HOSTILE, options: [HOSTILE], title: HOSTILE });
    void desk.ask('Run drop_table(orders)?', { kind: 'approval' });
    desk.journal.begin({ kind: 'call', caller: HOSTILE, user: 'owner', mount: 'x', tool: HOSTILE }).end('ok');
    const { page, errors } = await show(desk);
    await page.locator('#records li').first().waitFor();
    const shown = await page.locator('.item .message').first().textContent();
    expect(shown?.trim()).toBe(HOSTILE.replace('\u202E', '\\u{202e}'));
    expect(await page.locator('main img, main b').count()).toBe(0);
    expect(await page.title()).toBe('(2) Deskside');
    const approval = item(page, 'drop_table');
    await approval.getByText('Answer in the window.').waitFor();
    expect(await approval.getByRole('button').count()).toBe(0);
    expect(errors).toStrictEqual([]);
  });

  test('a message is Markdown as in its window, and its links open beside the page', async () => {
    const desk = await openPage();
    const text = `## Release\n\n**staging** and \`code\` ${HOSTILE}\n\n- [the plan](https://example.org/plan)\n\n1. first\n\n| a | b |\n| - | - |\n| 1 | 2 |`;
    void desk.ask(text);
    const { page, errors, context } = await show(desk);
    const message = page.locator('.item .message');
    await message.getByRole('heading', { name: 'Release' }).waitFor();
    expect(await message.locator('strong').textContent()).toBe('staging');
    expect(await message.locator('td').allTextContents()).toStrictEqual(['1', '2']);
    expect(await message.locator('img, b').count()).toBe(0);
    const marks = ['ul', 'ol'].map((list) =>
      message.locator(list).evaluate((node) => getComputedStyle(node).listStyleType),
    );
    expect(await Promise.all(marks)).toStrictEqual(['disc', 'decimal']);
    const link = message.getByRole('link', { name: 'the plan' });
    expect(await link.getAttribute('target')).toBe('_blank');
    expect(await link.getAttribute('rel')).toBe('noreferrer');
    const window = await context.newPage();
    await window.setContent(renderMessage(text, false, []).html);
    const expected = await window.locator('body').innerHTML();
    expect((await message.innerHTML()).replaceAll(' target="_blank"', '').trim()).toBe(expected.trim());
    expect(errors).toStrictEqual([]);
  });

  test('a page that is loading does not say that nothing has happened', async () => {
    const { link } = await openPage();
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const loaded = Promise.withResolvers<void>();
    await page.route('**/events', async (route) => {
      await loaded.promise;
      await route.continue();
    });
    await page.goto(link);
    const none = page.locator('#none');
    await page.getByRole('searchbox').fill('deploy');
    expect(await none.textContent()).toBe('Loading today…');
    loaded.resolve();
    await expect.poll(() => none.textContent()).toBe('Nothing found.');
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => none.textContent()).toContain('Nothing yet.');
  });

  test('the text of an earlier record, which is not in the list yet, moves nothing, and calls are folded', async () => {
    const { desk, notify, ask, callTools } = await openToday();
    notify('The state is locked.');
    ask(60);
    callTools(50);
    notify('The disk is full.');
    await expect.poll(() => desk.journal.records()).toHaveLength(112);
    const { page } = await show(desk);
    const rows = page.locator('#records li');
    await page.getByText('The disk is full.').waitFor();
    expect(await rows.first().textContent()).toContain('The disk is full.');
    expect(await rows.count()).toBe(40);
    await page.getByRole('button', { name: 'Show earlier' }).click();
    await expect.poll(() => rows.last().textContent()).toContain('The state is locked.');
    expect(await rows.count()).toBe(62);
    expect(
      await page.evaluate('[...document.activeElement.parentNode.children].indexOf(document.activeElement)'),
    ).toBe(40);
    // A browser tells later that something was unfolded.
    await page.getByText('50 calls of todo').click();
    await expect.poll(() => rows.count()).toBe(102);
    await page.getByText('50 calls of todo').click();
    await expect.poll(() => rows.count()).toBe(62);
    await page.getByRole('searchbox').fill('tool_7');
    expect(await rows.count()).toBe(1);
    await page.getByRole('searchbox').fill('locked');
    expect(await rows.count()).toBe(1);
  });

  test('a notification is seen when its text is in view on a visible page that the person uses', async () => {
    const { desk, notify, ask } = await openToday();
    notify('At the end of the list');
    ask(36);
    notify('Folded\nby its second line');
    notify('In view');
    const seen = async () => {
      const records = await desk.journal.records({ kind: 'notification' });
      return records
        .filter(({ seen: at, via }) => at !== undefined && via === 'page')
        .map(({ content }) => content?.text?.split('\n')[0]);
    };
    const { page, errors } = await show(desk);
    const row = (text: string) => page.locator('#records li', { hasText: text });
    await row('In view').waitFor();
    await page.mouse.move(300, 400);
    await row('In view')
      .getByText(/^seen \d/)
      .waitFor();
    expect(await seen()).toStrictEqual(['In view']);
    await row('Folded').locator('summary').press('Enter');
    await row('Folded')
      .getByText(/^seen \d/)
      .waitFor();
    // What shows it as seen does not fold it again.
    await row('Folded').getByText('by its second line').waitFor();
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('SUMMARY');
    expect(await seen()).toStrictEqual(['Folded', 'In view']);
    await page.mouse.wheel(0, 10_000);
    await row('At the end')
      .getByText(/^seen \d/)
      .waitFor();

    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const comes = async (message: string) => {
      notify(message);
      await row(message).waitFor();
      // Two frames: the second one is after the look at what is in view.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      expect(requests).not.toContain('/seen');
    };
    await page.mouse.wheel(0, -10_000);
    await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    await page.evaluate(() => {
      const { now } = performance;
      const away = 60_000;
      performance.now = () => now.call(performance) + away;
    });
    await comes('While the person is away');
    await page.mouse.move(300, 410);
    await row('While the person is away')
      .getByText(/^seen \d/)
      .waitFor();
    requests.length = 0;
    const turn = (state: string) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      }, state);
    await turn('hidden');
    await comes('In another tab');
    await turn('visible');
    await row('In another tab')
      .getByText(/^seen \d/)
      .waitFor();
    expect(requests.filter((path) => path === '/seen')).toHaveLength(1);
    expect(errors).toStrictEqual([]);
  });

  test('words are found as they stand on the screen, and a line is not cut inside an emoji', async () => {
    const { desk, notify } = await openToday();
    const text = 'Grußwort Café IŞIK ΟΔΟΣ';
    notify(text.normalize('NFD'));
    notify(`${'x'.repeat(299)}😀 long`);
    const { page } = await show(desk);
    const rows = page.locator('#records li');
    await page.getByText('IŞIK'.normalize('NFD')).waitFor();
    for (const words of [...text.split(' '), 'GRUSSWORT', 'cafe', 'ışık', 'isik', 'οδος', 'ΟΔ']) {
      await page.getByRole('searchbox').fill(words);
      expect(await rows.count(), words).toBe(1);
    }
    await page.getByRole('searchbox').fill('long');
    expect(await rows.locator('summary').textContent()).toBe(`${'x'.repeat(299)} …`);
  });

  test('a new day empties the list of today, also if nothing happens', async () => {
    const { desk, ask } = await openToday();
    ask(1);
    await expect.poll(() => desk.journal.records()).toHaveLength(1);
    const { page } = await show(desk);
    // Timers of before it would not be cleared after it.
    await page.clock.install();
    await page.reload();
    const rows = page.locator('#records li');
    await rows.first().waitFor();
    // Every record of the call has come.
    await settled(page);
    await page.clock.fastForward(86_400_000);
    // At once: the jump also ends the connection, and the next one would empty the list anyway.
    expect(await rows.count()).toBe(0);
  });

  test('the picture stays while the person reads its table, or is at one of its bars', async () => {
    const desk = await openPage({ recorded: true });
    const { page } = await show(desk);
    await page.getByRole('button', { name: 'Earlier day' }).waitFor();
    let text = 'one';
    const bar = '<button type="button" class="bar" tabindex="0" data-at="09:00"></button>';
    await page.route('**/day?*', (route) =>
      route.fulfill({ json: { html: `${bar}<details><summary>Table</summary>${text}</details>` } }),
    );
    await page.clock.install();
    await page.reload();
    await page.getByText('Table').press('Enter');
    const look = async () => {
      const answer = page.waitForResponse('**/day?*');
      await page.clock.fastForward(5 * 60_000);
      await answer;
      await page.evaluate('Promise.resolve()');
    };
    text = 'two';
    await look();
    expect(await page.locator('#picture details').textContent()).toBe('Tableone');
    await page.getByText('Table').press('Enter');
    await page.locator('.bar').focus();
    await look();
    expect(await page.evaluate('document.activeElement.className')).toBe('bar');
    await page.locator('#search').focus();
    await look();
    expect(await page.locator('#picture details').textContent()).toBe('Tabletwo');
  });

  test('the picture is that of the day that was chosen last, whichever answer comes first', async () => {
    const desk = await openPage({ recorded: true });
    const { page } = await show(desk);
    const earlier = page.getByRole('button', { name: 'Earlier day' });
    await earlier.waitFor();
    const held = Promise.withResolvers<void>();
    const dates: string[] = [];
    await page.route('**/day?*', async (route) => {
      const date = new URL(route.request().url()).searchParams.get('date') ?? '';
      dates.push(date);
      if (dates.length === 1) await held.promise;
      await route.fulfill({ json: { html: `<p>${date}</p>` } });
    });
    await earlier.click();
    await earlier.click();
    const shown = () => page.locator('#picture').textContent();
    await expect.poll(async () => dates.length === 2 && (await shown()) === dates[1]).toBe(true);
    const late = page.waitForResponse((response) => response.url().endsWith(dates[0] ?? ''));
    held.resolve();
    await late;
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await shown()).toBe(dates[1]);
  });

  test('a recorded day of four agents is on the page, each record with its agent, its text and its outcome', async () => {
    const desk = await openDay();
    const { page, errors } = await show(desk);
    const rows = page.locator('#records li');
    const content = DAY.filter(({ kind }) => kind !== 'call');
    await expect.poll(() => rows.count()).toBe(content.length + desk.open);
    await page.locator('#records summary').first().waitFor();
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => [
        row.closest('.group')?.querySelector('h3')?.lastChild?.textContent,
        ...[...row.children].map(({ textContent }) => textContent),
      ]),
    );
    await page.locator('#records').getByText('Keep the old /cart route?').waitFor();
    for (const { at, agent, kind, text, answer = '', outcome } of content) {
      const [, , what, end] = shown.findLast(([caller, time]) => caller === agent && time === at) ?? [];
      const words = kind === 'news' ? 'The release is on staging.' : (text ?? '');
      for (const line of `${words}\n${answer}`.split('\n'))
        expect(what).toContain(escapeInvisible(line).slice(0, 100));
      expect(end).toMatch(kind === 'notification' ? /^(?:seen \d\d:\d\d|not seen yet)$/ : outcome);
    }
    // Calls are a line per agent.
    const codex = page.locator('.group', { hasText: 'codex · infra' });
    expect(await codex.locator('.calls > summary').textContent()).toBe('3 calls of todo, 1 failed');
    const isShown = async (text: string) => page.getByText(text).isVisible();
    expect(await isShown('denied: Not on a Friday.')).toBe(true);
    expect(await isShown('But not before noon.')).toBe(false);
    await page.getByText('release/2.1 …').click();
    expect(await isShown('But not before noon.')).toBe(true);
    await page.getByRole('searchbox').fill('before noon');
    expect(await rows.count()).toBe(1);
    await page.getByRole('searchbox').fill('');
    for (const agent of new Set(DAY.map((each) => each.agent))) {
      await page.getByRole('searchbox').fill(agent);
      expect(await rows.count()).toBeGreaterThan(0);
      expect(await page.locator('#agents li', { hasText: agent }).count()).toBe(1);
    }
    const held = page.locator('#task-list li', { hasText: 'Renew the certificate' });
    await held.getByText(/codex · infra works on it until \d\d:\d\d/).waitFor();
    expect(await page.getByText('works on it').count()).toBe(2);
    expect(await page.locator('main img, main b:not(.text b)').count()).toBe(0);
    expect(errors).toStrictEqual([]);
  });

  test.each(['light', 'dark'] as const)('axe finds nothing in %s', async (colorScheme) => {
    const desk = await openDay();
    const { page, errors } = await show(desk, { colorScheme });
    // The recorded days end yesterday.
    await page.getByRole('button', { name: 'Earlier day' }).click();
    await page.locator('#day .bar').first().waitFor();
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.evaluate(axe.source);
    const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      'axe.run().then(({ violations }) => violations)',
    );
    expect(
      found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(' | ')}`),
    ).toStrictEqual([]);
    expect(errors).toStrictEqual([]);
  });

  test.each([320, 800, 1600])(
    'at %d px nothing is wider than the window, in both directions',
    async (width) => {
      const desk = await openDay();
      const { page } = await show(desk, { viewport: { width, height: 900 } });
      // The recorded days end yesterday.
      await page.getByRole('button', { name: 'Earlier day' }).click();
      await page.locator('#day .bar').first().waitFor();
      for (const dir of ['ltr', 'rtl'] as const) {
        await page.evaluate((given) => (document.documentElement.dir = given), dir);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow).toBe(0);
      }
    },
  );

  test(`${RECORDS} records are found, and only some of them are in the page`, async () => {
    const desk = await openDay();
    for (let index = 0; index < RECORDS; index += 1) {
      const start = { caller: `agent ${index % 7}`, user: 'owner' };
      if (index % 5 === 0) {
        const content = { text: `Line ${index}\n${HOSTILE}`, level: 'warn' };
        desk.journal.begin({ ...start, kind: 'notification', mount: 'log', content }).end('delivered');
      } else desk.journal.begin({ ...start, kind: 'call', mount: 'todo', tool: `tool_${index}` }).end('ok');
    }
    expect(await desk.journal.records({ limit: 1 })).toHaveLength(1);
    const { page } = await show(desk);
    const isSmall = async () =>
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1500);
    await page.locator('.calls > summary').first().waitFor();
    await isSmall();
    await page.keyboard.press('/');
    await page.keyboard.type('tool_1321');
    await page.getByText('todo tool_1321').waitFor();
    await page.getByRole('searchbox').fill('agent 3');
    await page.getByText('tool_1321', { exact: false }).waitFor({ state: 'detached' });
    await isSmall();
    await page.getByRole('searchbox').fill('');
    await page.getByText('warn Line ', { exact: false }).first().waitFor();
    await isSmall();
    await page.getByRole('button', { name: 'Show earlier' }).click();
    await isSmall();
  });

  test('the person sends a note to an agent with the keyboard, and the page shows when the agent has read it', async () => {
    const desk = await openPage();
    const client = { pid: process.pid, workingDirectory: undefined, env: { DISPLAY: '' } };
    desk.page.agents = {
      list: () => [{ label: 'codex · infra', session: 's', hasNote: hasNote(client) }, { label: HOSTILE }],
      process: () => client,
    };
    const { page, errors } = await show(desk);
    const agents = page.locator('#agents li');
    expect(await agents.last().getByRole('button').count()).toBe(0);
    await agents.first().getByRole('button', { name: 'Show terminal' }).press('Enter');
    await agents.getByText('The terminal of this agent is not known.').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Use staging.');
    await page.keyboard.press('Enter');
    await agents.getByText('The agent reads your note at its next call to Deskside.').waitFor();
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Tell this agent');
    const ping = withNotes(
      { id: 'own', definition: namedServer('own') },
      testContext({ caller: { process: client } }),
      { content: [] },
    );
    expect(JSON.stringify(ping)).toContain('Use staging.');
    await agents.getByText('The agent has read your note.').waitFor();
    expect(errors).toStrictEqual([]);
  });

  test('a note survives a reload, is sent once, and stays if the desk does not answer', async () => {
    const desk = await openPage();
    const client = { pid: process.pid, workingDirectory: undefined, env: {} };
    desk.page.agents = {
      list: () => [{ label: 'codex', session: 's' }],
      process: () => client,
    };
    const { page } = await show(desk);
    await page.getByRole('button', { name: 'Tell this agent' }).click();
    await page.keyboard.type('Use staging.');
    await page.reload();
    // The form is hidden after it was sent.
    const box = page.locator('textarea[aria-label^="Note to"]');
    expect(await box.inputValue()).toBe('Use staging.');
    await page.route('**/tell', (route) => route.abort());
    await box.press('Enter');
    await page.getByText('The desk did not answer. Your text is still here: send it again.').waitFor();
    const held = Promise.withResolvers<void>();
    let sent = 0;
    await page.unroute('**/tell');
    await page.route('**/tell', async (route) => {
      sent += 1;
      await held.promise;
      await route.continue();
    });
    await box.press('Enter');
    await box.press('Enter');
    held.resolve();
    await expect.poll(() => box.inputValue()).toBe('');
    expect(sent).toBe(1);
    expect(hasNote(client)).toBe(true);
  });

  test('an agent that leaves stays in the list as long as the person writes to it', async () => {
    const desk = await openPage();
    const other = { label: 'other' };
    let clients: ReturnType<typeof desk.page.agents.list> = [{ label: 'codex', session: 's' }, other];
    desk.page.agents = { list: () => clients, process: () => undefined };
    const { page, errors } = await show(desk);
    const agents = page.locator('#agents li');
    await agents.first().getByRole('button', { name: 'Tell this agent' }).click();
    await page.keyboard.type('Use ');
    clients = [other];
    await agents.getByText('has left').waitFor();
    await page.keyboard.type('staging.');
    const box = agents.getByRole('textbox');
    expect(await box.inputValue()).toBe('Use staging.');
    await page.keyboard.press('Enter');
    await agents.getByText('This agent is gone. Your text is still here.').waitFor();
    await box.fill('');
    await box.blur();
    clients = [{ ...other, hasNote: false }];
    await expect.poll(() => agents.count()).toBe(1);
    // How the desk answers a note to an agent that is gone.
    expect(errors).toStrictEqual([expect.stringContaining('409')]);
  });

  test('a task shows at once which agent has claimed it, and is ticked', async () => {
    const desk = await openPage();
    const todo = desk.opened.mounts.find(({ id }) => id === 'todo');
    for (const title of ['Renew the certificate', 'Buy milk'])
      await systemCall(todo as never, 'add_task', { user_id: 'me', title }, 'owner', silentLog);
    const { page } = await show(desk);
    await page.getByRole('checkbox', { name: 'Renew the certificate' }).focus();
    await desk.claim('codex · infra', 1, 60_000);
    const start = { kind: 'call', caller: 'codex · infra', user: 'owner', mount: 'todo' } as const;
    desk.journal.begin({ ...start, tool: 'claim_task' }).end('ok');
    await page.getByText(/codex · infra works on it until \d\d:\d\d/).waitFor();
    expect(await page.evaluate('document.activeElement?.id')).toBe('task-1');
    // Not `check`, which waits for the box that is gone.
    await page.getByRole('checkbox', { name: 'Renew the certificate' }).click();
    await page.getByRole('checkbox', { name: 'Renew the certificate' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('checkbox').count()).toBe(1);
  });

  test('the keyboard stays in the list when a task is ticked, and the page says that it is done', async () => {
    const desk = await openPage();
    const todo = desk.opened.mounts.find(({ id }) => id === 'todo');
    for (const title of ['One', 'Two', 'Three'])
      await systemCall(todo as never, 'add_task', { user_id: 'me', title }, 'owner', silentLog);
    const { page } = await show(desk);
    const focused = () => page.evaluate('document.activeElement.id');
    const note = page.locator('#tasks').getByRole('status');
    // The newest is first: then the next one, the one before, and none.
    for (const [title, next] of [
      ['Two', 'task-1'],
      ['One', 'task-3'],
      ['Three', 'tasks'],
    ] as const) {
      await page.getByRole('checkbox', { name: title }).press('Space');
      await page.getByRole('checkbox', { name: title }).waitFor({ state: 'detached' });
      expect(await focused()).toBe(next);
      await note.getByText('Done.').waitFor();
    }
    expect(await page.locator('#today').getByRole('status').count()).toBe(1);
  });
});

/** Waits until presses count again: the page ignores those right after a change. */
async function settled(page: Page): Promise<void> {
  const since = await page.evaluate(() => performance.now());
  await page.waitForFunction((at) => performance.now() - at > 700, since);
}

/** A desk whose agent has notified the person and called tools. */
async function openToday() {
  const desk = await openPage();
  const start = { caller: 'codex · infra', user: 'owner' };
  function notify(text: string): void {
    const content = { text, level: 'error' };
    desk.journal.begin({ ...start, kind: 'notification', mount: 'log', content }).end('delivered');
  }
  function ask(count: number): void {
    for (let index = 0; index < count; index += 1)
      desk.journal
        .begin({ ...start, kind: 'question', mount: 'popup', content: { text: `Question ${index}?` } })
        .end('answered');
  }
  function callTools(count: number): void {
    for (let index = 0; index < count; index += 1)
      desk.journal.begin({ ...start, kind: 'call', mount: 'todo', tool: `tool_${index}` }).end('ok');
  }
  return { desk, notify, ask, callTools };
}
