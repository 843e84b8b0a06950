import { expect, onTestFinished, test, vi } from 'vitest';

const PICTURE = { name: 'image.svg', type: 'image/svg+xml', size: 1000 };
const REFUSED = 'image.svg is not added: it is not a PNG, JPEG, GIF or WebP image.';

/** Parses as much as the page reads. */
class TextParser {
  parseFromString(html: string) {
    return { body: { textContent: html.replaceAll(/<[^>]*>/g, '') } };
  }
}

/** @returns what the page says after a picture is pasted with these texts; undefined if the browser pastes a text */
async function saidAfter(texts: Readonly<Record<string, string>>): Promise<string | undefined> {
  const page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  const dataset = { images: '3', imageBytes: '640000', imagePlaces: '' };
  vi.stubGlobal('document', { body: { dataset }, getElementById: () => null });
  vi.stubGlobal('DOMParser', TextParser);
  onTestFinished(() => void vi.unstubAllGlobals());
  // The page has no types.
  const path = './assets/images.js';
  const { answerImages } = await import(path);
  let said = '';
  answerImages(
    () => undefined,
    (text: string) => (said = text),
    () => undefined,
  );
  const clipboardData = { files: [PICTURE], getData: (type: string) => texts[type] ?? '' };
  const paste = Object.assign(new Event('paste', { cancelable: true }), { clipboardData });
  page.dispatchEvent(paste);
  await new Promise(setImmediate);
  return paste.defaultPrevented ? said : undefined;
}

test.each([
  ['cells of a spreadsheet', { 'text/plain': 'a\tb\n', 'text/html': '<table><td>a<td>b</table>' }, undefined],
  ['a picture of a web page', { 'text/html': '<img src="a.png">' }, REFUSED],
  [
    'a picture whose address is its text',
    { 'text/plain': 'https://example.com/a.png', 'text/html': '<img src="https://example.com/a.png">' },
    REFUSED,
  ],
  [
    'a picture in a link, whose description is its text',
    { 'text/plain': 'A map', 'text/html': '<a href="map">\n<img alt="A map" src="a.png">\n</a>' },
    REFUSED,
  ],
  ['a picture of a word processor', { 'text/plain': ' \r\n', 'text/html': '<img>' }, REFUSED],
  ['a file, whose name is its text', { 'text/plain': '/home/anna/image.png' }, REFUSED],
  ['a screenshot', {}, REFUSED],
])('what comes with %s is added as an image only if it is one', async (_, texts, said) => {
  expect(await saidAfter(texts)).toStrictEqual(said);
});
