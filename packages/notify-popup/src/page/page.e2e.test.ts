import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { source as axe } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type PageServer, openPageServer } from './page-server.ts';
import type { PageOptions } from './render-page.ts';
import type { Draft } from '../history/drafts.ts';
import type { Ending, PopupSpec, Waiting } from '../service/presenter.ts';
import { addressOf, popupSpec } from '../testing/samples.ts';
import { missingPackages, needs } from '../testing/desktop.ts';
import { retryUntil } from '../testing/desktop.ts';

/** A folder for screenshots of each look. */
const pictures = process.env['POPUP_PICTURES'];

const LOOKS = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['more contrast', { colorScheme: 'light', contrast: 'more' }],
  ['more contrast, dark', { colorScheme: 'dark', contrast: 'more' }],
  ['forced colors', { forcedColors: 'active' }],
] as const;

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const MESSAGE = `# Release 2.1

Shall I **deploy** \`v2.1\` to *production*? See [the notes](https://example.com/notes).

> All tests are green.

\`\`\`sh
pnpm release
\`\`\`

| step | state |
| --- | --- |
| tests | green |`;

const HISTORY = [
  { message: 'Which branch?', reply: 'main\nor the other', at: new Date() },
  { message: 'Tests are green.', at: new Date() },
  { message: 'Go on?', reply: 'Yes, please go on and tell me when it is done.', at: new Date() },
];

describe.skipIf(missingPackages.length > 0)(`the page in a real browser${needs}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  });
  afterAll(() => browser.close());

  interface Opened {
    readonly page: Page;
    readonly server: PageServer;
    readonly violations: string[];
    readonly links: string[];
  }

  /** @param before a script that runs before the page's scripts */
  async function open(spec: PopupSpec, look: Partial<PageOptions> = {}, before = ''): Promise<Opened> {
    const links: string[] = [];
    const server = await openPageServer(spec, {
      page: Promise.resolve({ theme: 'auto', plain: false, centered: true, ...look }),
      openLink: (address) => void links.push(address),
    });
    const context = await browser.newContext({ viewport: { width: 500, height: 575 } });
    onTestFinished(async () => {
      await context.close();
      await server.close();
    });
    const page = await context.newPage();
    await page.addInitScript(before);
    const violations: string[] = [];
    page.on('console', (message) => violations.push(message.text()));
    page.on('pageerror', (error) => violations.push(error.message));
    page.on('dialog', (dialog) => violations.push(dialog.message()));
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(addressOf(server)).origin)) violations.push(request.url());
    });
    await page.goto(addressOf(server));
    await server.ready;
    return { page, server, violations, links };
  }

  test.each(LOOKS)('the page has no accessibility problem in %s', async (name, media) => {
    const { page, violations } = await open(
      popupSpec({ message: MESSAGE, timeout: 90 }, { history: HISTORY, drafts: [draft('typed before')] }),
    );
    await page.emulateMedia(media);
    // As text: the page's policy allows no other script.
    await page.evaluate(axe);
    const problems: string[] = await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(RULES)} })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
    expect(problems).toStrictEqual([]);
    expect(violations).toStrictEqual([]);
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    }
  });

  test('a screen reader finds the names of the message, the box and the buttons', async () => {
    const { page } = await open(popupSpec({ timeout: 90 }, { history: HISTORY }));
    const tree = await page.locator('body').ariaSnapshot();
    expect(tree).toContain('An AI agent in Example host asks');
    expect(tree).toContain('log "Earlier in this conversation"');
    expect(tree).toContain('main "Message"');
    expect(tree).toMatch(/textbox "Your reply"/);
    expect(tree).toContain('button "Cancel"');
    expect(tree).toContain('button "Submit"');
    expect(tree).toMatch(/timer "Time left": 1 min/);
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('reply');
  });

  test('the history scrolls to its end, and a long message can be scrolled to its end', async () => {
    const long = Array.from({ length: 40 }, () => ({
      message: 'again '.repeat(30),
      reply: 'yes',
      at: new Date(),
    }));
    const { page } = await open(popupSpec({ message: `${'word '.repeat(1999)}last` }, { history: long }));
    const atEnd =
      '({ scrollTop, clientHeight, scrollHeight }) => scrollHeight > clientHeight && scrollTop + clientHeight > scrollHeight - 2';
    expect(await page.evaluate(`(${atEnd})(document.getElementById('history'))`)).toBe(true);
    const message = page.locator('#message');
    await message.focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.evaluate(`(${atEnd})(document.getElementById('message'))`)).toBe(true);
    await expect.poll(() => page.locator('#reply').isVisible()).toBe(true);
  });

  test('Enter that ends a composition of an input method does not send', async () => {
    const { page, server } = await open(popupSpec());
    await rest(page);
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await session.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      key: 'Enter',
      windowsVirtualKeyCode: 229,
    });
    await session.send('Input.insertText', { text: '日本' });
    expect(await page.locator('#reply').inputValue()).toBe('日本');
    expect(await Promise.race([server.ended, Promise.resolve('open')])).toBe('open');
    expect(await sends(page, server, 'Enter')).toStrictEqual({ kind: 'submitted', text: '日本' });
  });

  test('Enter, Escape and Cancel count only after 600 ms without typing since the window opened', async () => {
    const { page, server } = await open(popupSpec(), {}, STOPPED_CLOCK);
    for (const key of 'ls -la') {
      await page.locator('#reply').pressSequentially(key);
      await page.evaluate('clock += 599');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Cancel' }).click();
    }
    expect(await Promise.race([server.ended, Promise.resolve('open')])).toBe('open');
    await page.evaluate('clock += 1');
    await page.locator('#reply').press('Enter');
    expect(await server.ended).toStrictEqual({ kind: 'submitted', text: 'ls -la' });
  });

  test('a hostile message or title runs nothing, loads nothing and stays readable', async () => {
    const message = [
      '<script>alert(1)</script><img src=x onerror=alert(2)><a href="javascript:alert(3)">x</a>',
      '',
      '[run](javascript:alert(4)) ![spy](https://attacker.example/pixel.png) [file](file:///etc/passwd)',
      '',
      `evil\u{202E}gnp.exe a${'\u0301'.repeat(10_000)}b \u0007\u{E0041}`.replaceAll(
        /\\u\{(\w+)\}/g,
        (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)),
      ),
      '',
      '[click](https://user@attacker.example/?q="><script>alert(5)</script>)',
    ].join('\n');
    const title = '</title><script>alert(6)</script>\u202E';
    const { page, violations, links } = await open(
      popupSpec({ message, title, caller: '<b>System</b>' }),
      {},
    );
    expect(await page.title()).toBe(String.raw`</title><script>alert(6)</script>\u{202e}`);
    const text = await page.locator('#message').innerText();
    expect(text).toContain('<script>alert(1)</script><img src=x onerror=alert(2)>');
    expect(text).toContain(String.raw`evil\u{202e}gnp.exe a`);
    expect(text.length).toBeLessThan(700);
    expect(await page.locator('img, iframe, body script').count()).toBe(0);
    const addresses = await page
      .locator('#message a')
      .evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''));
    expect(addresses.filter((address) => !address.startsWith('https://'))).toStrictEqual([]);
    await rest(page);
    for (const link of await page.locator('#message a').all()) await link.click();
    await expect.poll(() => links.length).toBe(addresses.length);
    expect(await page.locator('#sender').innerText()).toBe('An AI agent in <b>System</b> asks');
    expect(violations).toStrictEqual([]);
  });

  test('the page offers the draft of an earlier popup, to use or to discard', async () => {
    const drafts: string[] = [];
    const spec = popupSpec(
      {},
      { drafts: [draft('\n  of earlier & <b>')], onDraft: (text) => drafts.push(text) },
    );
    const { page, server } = await open(spec);
    await page.getByRole('button', { name: 'Use it' }).click();
    expect(await page.locator('#reply').inputValue()).toBe('\n  of earlier & <b>');
    expect(await page.locator('#offer').isVisible()).toBe(false);
    expect(await sends(page, server, 'Enter')).toStrictEqual({
      kind: 'submitted',
      text: '\n  of earlier & <b>',
    });
    const other = await open(spec);
    await other.page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => drafts.at(-1)).toBe('');
  });

  test('the page shows waiting questions and a gone caller, also after it loads again', async () => {
    const { page, server } = await open(popupSpec());
    server.notify({ kind: 'waiting', waiting: [waiting('1'), waiting('2')] });
    await expect
      .poll(() => page.locator('#status').innerText())
      .toBe('2 more questions wait after this one.');
    await page.reload();
    await expect
      .poll(() => page.locator('#status').innerText())
      .toBe('2 more questions wait after this one.');
    server.notify({ kind: 'callerGone' });
    await expect.poll(() => page.locator('#status').innerText()).toMatch(/^The agent stopped waiting/);
    expect(await page.locator('#submit').isDisabled()).toBe(true);
    expect(await page.locator('#keys').innerText()).toBe('Esc closes');
    expect(await sends(page, server, 'Escape')).toStrictEqual({ kind: 'cancelled' });
  });

  test('the page still works after the browser stopped its connections, as Escape does', async () => {
    const { page, server } = await open(popupSpec());
    await page.evaluate('window.stop()');
    server.notify({ kind: 'waiting', waiting: [waiting('1')] });
    await expect
      .poll(() => page.locator('#status').innerText())
      .toBe('1 more question waits after this one.');
    await page.locator('#reply').fill('still here');
    expect(await sends(page, server, 'Enter')).toStrictEqual({ kind: 'submitted', text: 'still here' });
  });

  test('a reply that is too long to send stays in the box', async () => {
    const { page, server } = await open(popupSpec());
    await page.locator('#reply').fill('x'.repeat(300_000));
    await retryUntil(
      expect.poll(() => page.locator('#status').innerText()).toMatch(/^Your answer could not be sent/),
      () => void page.keyboard.press('Enter'),
    );
    expect(await Promise.race([server.ended, Promise.resolve('open')])).toBe('open');
    expect((await page.locator('#reply').inputValue()).length).toBe(300_000);
  });

  test('with plain text the message is shown without Markdown', async () => {
    const { page } = await open(popupSpec({ message: '# no *heading*\n  indented' }), { plain: true });
    expect(await page.locator('#message').innerText()).toBe('# no *heading*\n  indented');
  });
});

/** The page's clock moves only when the test moves it. */
const STOPPED_CLOCK = `
  globalThis.clock = 0;
  performance.now = () => clock;
  Object.defineProperty(Event.prototype, 'timeStamp', { get: () => clock });`;

/** Presses a key repeatedly until the popup ends. */
function sends(page: Page, { ended }: PageServer, key: string): Promise<Ending> {
  return retryUntil(ended, () => void page.keyboard.press(key).catch(() => undefined));
}

/** Waits until the guard interval is over. */
async function rest(page: Page): Promise<void> {
  await page.evaluate('new Promise((rested) => setTimeout(rested, 650))');
}

function draft(text: string): Draft {
  return {
    id: 'earlier',
    text,
    question: 'Which one?',
    caller: 'Example host',
    savedAt: new Date().toISOString(),
  };
}

function waiting(id: string): Waiting {
  return { id, caller: 'Example host', since: new Date().toISOString(), firstLine: 'Well?', here: true };
}
