import { expect, test } from 'vitest';
import type { PopupSpec } from '../service/presenter.ts';
import { popupSpec } from '../testing/samples.ts';
import { renderPage } from './render-page.ts';

function render(spec: PopupSpec): string {
  return renderPage(spec, { theme: 'light', plain: false, centered: true }).html;
}

test.each([
  ['a right-to-left override', '\u202E'],
  ['an Arabic letter mark between Latin letters', '\u061C'],
  ['a left-to-right mark between Latin letters', '\u200E'],
  ['a deprecated bidi control', '\u206A'],
  ['a Hangul filler', '\u3164'],
  ['a variation selector that hides text', '\u{E0100}'],
  ['an invisible musical format character', '\u{1D173}'],
  ['a tag character', '\u{E0041}'],
  ['a zero-width space', '\u200B'],
  ['an escape character', '\u001B'],
  ['a lone surrogate', '\uD800'],
])('%s is visible in message, title, caller and history', (_, character) => {
  const text = `a${character}b`;
  const escaped = `a\\u{${character.codePointAt(0)?.toString(16)}}b`;
  const history = [{ message: text, reply: text, at: new Date(0) }];
  const html = render(popupSpec({ message: text, title: text, caller: text }, { history }));
  expect(html).not.toContain(character);
  expect(html.split(escaped)).toHaveLength(6);
});

test.each([
  ['emoji', '👩🏽‍🚒 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['Persian', 'می‌خواهم'],
  ['Hebrew with a direction mark', 'שלום\u200F!'],
  ['lines and tabs', 'one\n\ttwo'],
])('%s stays unchanged in the message', (_, text) => {
  const { html } = renderPage(popupSpec({ message: text }), { theme: 'auto', plain: true, centered: true });
  expect(html).toContain(`<p class="plain">${text}</p>`);
});

test('at most four combining marks stay on one character', () => {
  expect(render(popupSpec({ message: `a${'\u0301'.repeat(1000)}b` }))).toContain(`a${'\u0301'.repeat(4)}b`);
});

test('a long title is cut to 100 code points and a long caller to 130', () => {
  const html = render(popupSpec({ title: '👍'.repeat(101), caller: 'c'.repeat(131) }));
  expect(html).toContain(`<title>${'👍'.repeat(99)}…</title>`);
  expect(html).toContain(`<b>${'c'.repeat(129)}…</b> asks`);
});

test('links lead to the web or to mail only, and show their address', () => {
  const message = '[a](https://example.com/?x=1&y=2) [b](mailto:anna@example.com) [c](file:///etc/passwd)';
  const { html, links } = renderPage(popupSpec({ message }), { theme: 'auto', plain: false, centered: true });
  expect(links).toStrictEqual(['https://example.com/?x=1&y=2', 'mailto:anna@example.com']);
  expect(html).toContain('<span class="address">(https://example.com/?x=1&amp;y=2)</span>');
  expect(html).not.toContain('href="file:');
});
