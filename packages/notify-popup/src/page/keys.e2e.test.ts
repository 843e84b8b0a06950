import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choosePart, temporaryFolder } from '@deskside/testkit';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { missingPackages, needs } from '../testing/desktop.ts';
import { open, type OpenPage, openUsable } from '../testing/page-in-browser.ts';
import type { AnswerImage } from '@deskside/desktop';
import { popupSpec } from '../testing/samples.ts';

choosePart(3);

const GUARD_MS = 600;
const UNDO_MS = 3000;

const BROWSER_SHORTCUTS = ['n', 't', 'u', 's', 'p', 'o', 'Shift+N', 'Shift+I', 'Shift+J']
  .map((key) => `Control+${key}`)
  .concat('F12');

const sent = (text: string) => ({ kind: 'submitted', text }) as const;

const feedback = (page: Page) => page.locator('#feedback').innerText();
const FRAME = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';
const boxText = (page: Page) => page.locator('#reply').inputValue();

/** An event that drops data of these types. */
const drop = (types: string) => `(() => {
  const dataTransfer = new DataTransfer();
  if ('${types}' === 'Files') dataTransfer.items.add(new File(['x'], 'x.png', { type: 'image/png' }));
  else for (const type of '${types}'.split(' ')) dataTransfer.setData(type, 'https://example.com');
  return new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer });
})()`;

/** An image that browsers show and the server does not take. */
const BMP = 'Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAATCwAAEwsAAAAAAAAAAAAAAAD/AA==';

/** Pastes files: `png:a.png`. A canvas makes the images, but what is called bmp. */
const paste = (...files: readonly string[]) => `(async () => {
  const clipboardData = new DataTransfer();
  for (const [kind, name] of ${JSON.stringify(files.map((file) => file.split(':')))}) {
    const canvas = Object.assign(document.createElement('canvas'), { width: 80, height: 40 });
    canvas.getContext('2d').fillRect(9, 9, 20, 20);
    const blob = name.startsWith('bmp')
      ? Uint8Array.from(atob('${BMP}'), (byte) => byte.charCodeAt(0))
      : await new Promise((done) => canvas.toBlob(done, 'image/' + kind));
    clipboardData.items.add(new File([blob], name, { type: 'image/' + kind }));
  }
  const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData });
  document.getElementById('reply').dispatchEvent(event);
})()`;

/** Copies a picture of noise, which cannot be made small, and pastes it with the keys. */
async function pasteNoise(page: Page, width: number, height: number) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(`(async () => {
    const canvas = new OffscreenCanvas(${width}, ${height});
    const context = canvas.getContext('2d');
    const noise = context.createImageData(${width}, ${height});
    for (let at = 0; at < noise.data.length; at += 65536)
      crypto.getRandomValues(noise.data.subarray(at, Math.min(at + 65536, noise.data.length)));
    context.putImageData(noise, 0, 0);
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': await canvas.convertToBlob() })]);
  })()`);
  await page.keyboard.press('Control+V');
}

/** Drags two files over the page and drops them, as the browser does it with those of another program. */
async function dropFiles(page: Page) {
  const folder = temporaryFolder();
  const picture = sharp({ create: { width: 80, height: 40, channels: 3, background: '#123456' } });
  await picture.jpeg().toFile(join(folder, 'b.jpg'));
  writeFileSync(join(folder, 'c.svg'), '<svg/>');
  const files = ['b.jpg', 'c.svg'].map((name) => join(folder, name));
  const { x = 0, y = 0 } = (await page.locator('#message').boundingBox()) ?? {};
  const session = await page.context().newCDPSession(page);
  const at = { x: x + 9, y: y + 9, data: { items: [], files, dragOperationsMask: 1 } };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at });
}

/** What is in the clipboard beside a picture, and whether it is what the person copied. */
const PASTED: readonly (readonly [texts: Readonly<Record<string, string>>, isText: boolean])[] = [
  // A spreadsheet adds a picture of its cells.
  [{ 'text/plain': 'a\tb\n', 'text/html': '<table><td>a<td>b</table>' }, true],
  [{ 'text/html': '<img src="a.png">' }, false],
  // The address of the picture, or its description.
  [
    { 'text/plain': 'https://example.com/a.png', 'text/html': '<img src="https://example.com/a.png">' },
    false,
  ],
  [{ 'text/plain': 'A map', 'text/html': '<a href="map">\n<img alt="A map" src="a.png">\n</a>' }, false],
  // A word processor, a file manager, a screenshot.
  [{ 'text/plain': ' \r\n', 'text/html': '<img>' }, false],
  [{ 'text/plain': '/home/anna/image.png' }, false],
  [{}, false],
];

/** The person types in another window when the page is loaded. */
const openTyping = (typed = '') => open(popupSpec({}, { typed, isTyping: async () => true }));

/** The text in the box that is selected. */
const selected = (page: Page) =>
  page.evaluate(`(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))
    (document.getElementById('reply'))`);

/** Letters within the guard interval, which then ends. */
async function typeElsewhere(opened: OpenPage, text: string) {
  await opened.page.keyboard.type(text);
  await opened.advance(GUARD_MS);
  await expect.poll(() => selected(opened.page)).toBe(text);
}

// Every key is pressed once: a key that does nothing, or acts twice, fails the test.
describe.skipIf(missingPackages.length > 0)(`keys and clicks in the page${needs}`, () => {
  test('letters of a person who types in another window are selected: a key keeps them, a press into the box removes them', async () => {
    const first = await openTyping('Yes, ');
    await typeElsewhere(first, 'git log');
    await first.page.keyboard.press('End');
    await first.page.keyboard.type(' it is');
    await first.page.keyboard.press('Enter');
    expect(await first.server.ended).toStrictEqual(sent('Yes, git log it is'));
    const second = await openTyping();
    await typeElsewhere(second, 'git log');
    await second.page.locator('#reply').click();
    expect(await boxText(second.page)).toBe('');
    await second.page.keyboard.press('Control+Z');
    expect(await boxText(second.page)).toBe('git log');
  });

  test.each([
    // A Return that was meant for a terminal. Shift alone is not a key that the person typed here.
    ['Enter after keys of another window', 'rm -r old', 'Shift Enter', 'Press Enter again to send.'],
    ['Enter in an untouched box', '', 'Enter', 'Press Enter again to send an empty reply.'],
  ])('%s does nothing, and a second one sends', async (_, typed, keys, said) => {
    const { page, advance, server, state } = await open();
    await page.keyboard.type(typed);
    await advance(GUARD_MS);
    for (const key of keys.split(' ')) await page.keyboard.press(key);
    expect(await state()).toBe('open');
    expect(await feedback(page)).toBe(said);
    await page.keyboard.press('Enter');
    expect(await server.ended).toStrictEqual(sent(typed));
  });

  test('Enter sends at once if the box was typed in and emptied, with Control, too', async () => {
    const { page, server } = await openUsable();
    for (const key of ['a', 'Backspace', 'Control+Enter']) await page.keyboard.press(key);
    expect(await server.ended).toStrictEqual(sent(''));
  });

  test('a button is pressed by Enter or Space only after another key', async () => {
    const { page, advance, server, state } = await open();
    await page.locator('#cancel').focus();
    await advance(GUARD_MS);
    await page.keyboard.press('Enter');
    expect(await state()).toBe('open');
    await page.keyboard.press('Space');
    await advance(UNDO_MS);
    expect(await server.ended).toStrictEqual({ kind: 'cancelled' });
  });

  test('a letter that is typed while another part of the page has the focus lands in the box', async () => {
    const history = [{ message: 'Earlier', at: new Date(0) }];
    const { page } = await openUsable(popupSpec({}, { history }));
    for (const [focused, letter] of [
      ['#message', 'y'],
      ['#cancel', 'e'],
      ['#history > summary', 's'],
    ] as const) {
      await page.locator(focused).focus();
      await page.keyboard.press(letter);
    }
    expect(await boxText(page)).toBe('yes');
  });

  test('Shift+Enter adds a line, and Enter that ends a composition of an input method does not send', async () => {
    const { page, server, state } = await openUsable();
    await page.keyboard.type('1');
    const session = await page.context().newCDPSession(page);
    const pressEnter = (windowsVirtualKeyCode: number) =>
      session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', windowsVirtualKeyCode });
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await pressEnter(13);
    expect(await state()).toBe('open');
    await session.send('Input.insertText', { text: '日本' });
    // In some browsers the composition has ended before this key, which then has the code of an input method.
    await pressEnter(229);
    expect(await state()).toBe('open');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    expect(await server.ended).toStrictEqual(sent('1日本\n2'));
  });

  test('a message without an answer takes no key except Escape', async () => {
    const { page, server, state } = await openUsable(popupSpec({ kind: 'news' }));
    for (const key of ['a', 'Enter', 'Space', 'Enter']) await page.keyboard.press(key);
    expect(await state()).toBe('open');
    await page.keyboard.press('Escape');
    expect(await server.ended).toStrictEqual({ kind: 'cancelled' });
  });

  test.each([
    ['2 1', 'Red, Blue', ['Red', 'Blue']],
    ['1 1', '', []],
    ['2 Control+a A n d', 'And', []],
    ['1 3', '13', []],
    ['2 Backspace', '', []],
    ['1 Space o f', '1 of', []],
  ])('with several choices the digits %s tick, and Enter sends "%s"', async (keys, text, ticked) => {
    const question = { options: ['Red', 'Blue'], multiple: true } as const;
    const { page, server } = await openUsable(popupSpec(question));
    for (const key of keys.split(' ')) await page.keyboard.press(key);
    const boxes = await page
      .locator('.choices input:checked')
      .evaluateAll((all) => all.map((each) => each.getAttribute('value')));
    expect(boxes).toStrictEqual(ticked);
    await page.keyboard.press('Enter');
    if (text === '') await page.keyboard.press('Enter');
    expect(await server.ended).toStrictEqual(sent(text));
  });

  test('a digit ticks in the question that has the keyboard, and Enter takes it out of the box', async () => {
    const colors = { question: 'Which colors?', options: ['Red', 'Blue'], multiple: true } as const;
    const questions = [colors, { question: 'Which branch?', options: ['main', 'next'] }];
    const { page, server } = await openUsable(popupSpec({ message: 'Before I start:', questions }));
    for (const key of ['1', '2', 'Enter']) await page.keyboard.press(key);
    expect(await page.locator('#reply-1').inputValue()).toBe('');
    await page.keyboard.press('2');
    expect(await page.locator('#keys').innerText()).toBe('Enter sends: next');
    expect(await page.locator('.replies [aria-pressed=true]').innerText()).toMatch(/next$/);
    await page.keyboard.press('Enter');
    const ended = await server.ended;
    const lines = ended.kind === 'submitted' ? ended.text.split('\n') : [];
    expect(lines.filter((line) => line.startsWith('>'))).toStrictEqual(['> Red', '> Blue', '> next']);
  });

  test('pasted and dropped images go with the answer, and one that does not fit is named and changes nothing', async () => {
    const { page, server, violations } = await openUsable(popupSpec({ acceptsImages: true }));
    await page.keyboard.type('see');
    const count = () => page.locator('#images canvas').count();
    await page.evaluate(paste('png:a.png'));
    await expect.poll(count).toBe(1);
    await dropFiles(page);
    await expect.poll(count).toBe(2);
    expect(await feedback(page)).toBe('c.svg is not added: it is not a PNG, JPEG, GIF or WebP image.');
    await page.evaluate(paste('webp:e.webp', 'png:f.png'));
    await expect.poll(() => feedback(page)).toBe('f.png is not added: an answer has at most 3 images.');
    await page.getByRole('button', { name: 'Remove b.jpg' }).click();
    expect(await count()).toBe(2);
    expect(await boxText(page)).toBe('see');
    await page.keyboard.press('Enter');
    const ended = await server.ended;
    expect(ended).toMatchObject({ kind: 'submitted', text: 'see' });
    const images = ended.kind === 'submitted' ? (ended.images ?? []) : [];
    expect(images.map(({ mimeType }) => mimeType)).toStrictEqual(['image/png', 'image/webp']);
    expect(violations).toStrictEqual([]);
  });

  test('images are there again after Later, can be removed, and are an answer alone', async () => {
    const shown: AnswerImage[][] = [];
    const spec = popupSpec({ acceptsImages: true }, { onImages: (images) => void shown.push([...images]) });
    const first = await openUsable(spec);
    await first.page.evaluate(paste('png:a.png', 'jpeg:b.jpg', 'webp:c.webp'));
    await expect.poll(() => shown.at(-1)?.length).toBe(3);
    await first.page.getByRole('button', { name: 'Remove b.jpg' }).click();
    await expect.poll(() => shown.at(-1)?.length).toBe(2);
    const again = await openUsable({ ...spec, images: shown.at(-1) ?? [] });
    const count = () => again.page.locator('#images canvas').count();
    await expect.poll(count).toBe(2);
    expect(again.violations).toStrictEqual([]);
    // The server refuses what this file is, and gets its picture.
    await again.page.evaluate(paste('png:bmp.png'));
    await expect.poll(count).toBe(3);
    await again.page.getByRole('button', { name: 'Remove image 1' }).click();
    await again.page.getByRole('button', { name: 'Send' }).click();
    expect(await again.server.ended).toMatchObject({
      ...sent(''),
      images: [{ mimeType: 'image/webp' }, { mimeType: 'image/jpeg' }],
    });
  });

  test('large pictures that are pasted are made smaller: three of them have 640 kB together', async () => {
    const { page, server } = await openUsable(popupSpec({ acceptsImages: true }));
    for (const count of [1, 2, 3]) {
      await pasteNoise(page, 2400, 300);
      await expect.poll(() => page.locator('#images canvas').count()).toBe(count);
    }
    await page.keyboard.type('see');
    await page.keyboard.press('Enter');
    const ended = await server.ended;
    const images = ended.kind === 'submitted' ? (ended.images ?? []) : [];
    expect(images).toHaveLength(3);
    const bytes = images.map(({ data }) => Buffer.from(data, 'base64').length);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(640_000);
    expect(Math.min(...bytes)).toBeGreaterThan(20_000);
  });

  test('what comes with a picture is pasted only if it has formatted text, and what is said of a picture stays readable', async () => {
    const { page } = await openUsable();
    for (const [texts, isText] of PASTED) {
      const isPrevented = await page.evaluate(`(() => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File(['<svg/>'], 'image.svg', { type: 'image/svg+xml' }));
        for (const [type, text] of Object.entries(${JSON.stringify(texts)})) clipboardData.setData(type, text);
        const paste = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData });
        return !document.getElementById('reply').dispatchEvent(paste);
      })()`);
      expect([texts, isPrevented]).toStrictEqual([texts, !isText]);
    }
    await expect.poll(() => feedback(page)).toBe('This program takes no images.');
    await page.evaluate(FRAME);
    expect(await feedback(page)).toBe('This program takes no images.');
  });

  test('a text that is too long is counted, and not sent; Escape cancels, and the draft is kept to the limit', async () => {
    const { page, advance, server, drafts, state } = await openUsable();
    // Without lines: of a command, other than of a paste, each would be an event of its own.
    const fill = (kilobytes: number) =>
      page.evaluate(`(() => {
        reply.focus();
        document.execCommand('insertText', false, 'letters '.repeat(128 * ${kilobytes}));
      })()`);
    await fill(250);
    expect(await feedback(page)).toBe('250 of 256 KiB.');
    await fill(30);
    expect(await feedback(page)).toBe('280 of 256 KiB. Shorten the text to send it.');
    for (const key of ['a', 'Enter']) await page.keyboard.press(key);
    expect(await state()).toBe('open');
    expect(await feedback(page)).toBe('281 of 256 KiB. Shorten the text to send it.');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('#cancelled').isVisible()).toBe(true);
    await advance(3000);
    expect(await server.ended).toStrictEqual({ kind: 'cancelled' });
    expect(drafts.at(-1)?.length).toBe(256 * 1024);
  });

  test('a paste of 36,000 lines leaves the window open, and is taken back by Ctrl+Z', async () => {
    const { page, state } = await openUsable();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(`navigator.clipboard.writeText('a line\\n'.repeat(36_000))`);
    await page.keyboard.press('Control+V');
    expect(await feedback(page)).toBe('247 of 256 KiB.');
    expect(await state()).toBe('open');
    await page.keyboard.press('Control+Z');
    expect(await boxText(page)).toBe('');
  });

  test('the window is reported as used at most once per second, and not for keys of another window', async () => {
    const { page, advance, state, activities } = await open();
    await page.keyboard.type('typed elsewhere');
    await state();
    expect(activities()).toBe(0);
    await advance(GUARD_MS);
    await page.keyboard.type('abc');
    await expect.poll(activities).toBe(1);
    await advance(1000);
    await page.locator('#message').click();
    await expect.poll(activities).toBe(2);
  });

  test('the shortcuts of the browser do nothing', async () => {
    const { page } = await open();
    await page.evaluate(`addEventListener('keydown', (event) => { globalThis.last = event; })`);
    const prevented: string[] = [];
    for (const shortcut of BROWSER_SHORTCUTS) {
      await page.keyboard.press(shortcut);
      if ((await page.evaluate('last.defaultPrevented')) === true) prevented.push(shortcut);
    }
    expect(prevented).toStrictEqual(BROWSER_SHORTCUTS);
  });

  test('the shortcuts for copying, cutting, pasting, undoing and selecting work', async () => {
    const { page } = await open();
    await page.keyboard.type('one ');
    for (const key of ['a', 'c', 'ArrowRight', 'v', 'v', 'z'])
      await page.keyboard.press(key === 'ArrowRight' ? key : `Control+${key}`);
    expect(await boxText(page)).toBe('one one ');
    for (const key of ['a', 'x']) await page.keyboard.press(`Control+${key}`);
    expect(await boxText(page)).toBe('');
    await page.keyboard.type('two ');
    await page.keyboard.press('Control+v');
    expect(await boxText(page)).toBe('two one one ');
  });

  test('a cancellation is taken back by Ctrl+Z, and the shortcuts work on a Russian keyboard', async () => {
    const { page, advance, state } = await open();
    /** @returns true if the browser would act on it */
    const press = (key: string, code: string) =>
      page.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', code: '${code}', ctrlKey: true, bubbles: true, cancelable: true }))`,
      );
    await page.keyboard.type('why');
    await advance(GUARD_MS);
    await page.keyboard.press('Escape');
    expect(await page.locator('#cancelled').innerText()).toMatch(/^The question is cancelled\.\s+Undo$/);
    // AZERTY: the letter on the key counts before its place.
    expect(await press('w', 'KeyZ')).toBe(true);
    expect(await press('я', 'KeyZ')).toBe(false);
    await advance(UNDO_MS);
    expect(await state()).toBe('open');
    expect(await boxText(page)).toBe('why');
    await page.evaluate('document.activeElement.blur()');
    expect(await press('м', 'KeyV')).toBe(true);
    expect(await page.evaluate('document.activeElement.id')).toBe('reply');
    expect(await press('т', 'KeyN')).toBe(false);
  });

  test('the context menu opens in the text box only, and dropped files and links do nothing', async () => {
    const { page } = await open();
    const isPrevented = (selector: string, event: string) =>
      page.evaluate(`!document.querySelector('${selector}').dispatchEvent(${event})`);
    const menu = `new MouseEvent('contextmenu', { bubbles: true, cancelable: true })`;
    expect(await isPrevented('#message', menu)).toBe(true);
    expect(await isPrevented('#reply', menu)).toBe(false);
    expect(await isPrevented('#message', drop('text/plain'))).toBe(true);
    expect(await isPrevented('#reply', drop('Files'))).toBe(true);
    expect(await isPrevented('#reply', drop('text/uri-list text/plain'))).toBe(true);
    expect(await isPrevented('#reply', drop('text/plain'))).toBe(false);
  });
});
