import { expect, test } from 'vitest';
import { renderMarkdown } from './message.ts';

function render(text: string) {
  const links: string[] = [];
  return { ...renderMarkdown(text, links), links };
}

test.each([
  ['https://example.com/a?b=1&c=2.', ['https://example.com/a?b=1&c=2']],
  ['see www.example.com/x now', ['http://www.example.com/x']],
  ['write to anna@example.com', ['mailto:anna@example.com']],
  ['<https://example.com/>', ['https://example.com/']],
])('the bare address in %j is a link', (text, expected) => {
  const { html, links } = render(text);
  expect(links).toStrictEqual(expected);
  expect(html).toContain('data-link="0"');
  expect(html).not.toContain('class="address"');
});

test.each([
  ['[run](javascript:alert(4))', 'run', 'javascript:alert(4)'],
  ['[file](file:///etc/passwd)', 'file', 'file:///etc/passwd'],
  ['[data](data:text/html,x)', 'data', 'data:text/html,x'],
  ['[relative](notes.md)', 'relative', 'notes.md'],
])('%s is not a link, and its address is visible', (text, content, address) => {
  const { html, links } = render(text);
  expect(links).toStrictEqual([]);
  expect(html).toBe(`<p>${content} <span class="address">(<bdi dir="ltr">${address}</bdi>)</span></p>`);
});

test('a link with another text shows its address', () => {
  const { html, links } = render(
    '[a](https://example.com/?x=1&y=2) [https://bank.example](https://b.example)',
  );
  expect(links).toStrictEqual(['https://example.com/?x=1&y=2', 'https://b.example/']);
  expect(html).toContain('(<bdi dir="ltr">https://example.com/?x=1&amp;y=2</bdi>)');
  expect(html).toContain(
    '>https://bank.example</a> <span class="address">(<bdi dir="ltr">https://b.example/</bdi>)',
  );
});

test.each([
  ['https://ja.wikipedia.org/wiki/%E6%97%A5%E6%9C%AC', 'https://ja.wikipedia.org/wiki/日本'],
  ['https://de.wikipedia.org/wiki/Grüße', 'https://de.wikipedia.org/wiki/Grüße'],
  // A Cyrillic а in the host.
  ['https://\u0430pple.com/', 'https://xn--pple-43d.com/'],
  ['https://例え.jp/日本', 'https://xn--r8jz45g.jp/日本'],
  // Encoded blanks, separators, direction marks and broken UTF-8 stay encoded.
  ['https://example.com/a%20b%2F%3Cc', 'https://example.com/a%20b%2F%3Cc'],
  ['https://example.com/%E2%80%AEgnp.exe', 'https://example.com/%E2%80%AEgnp.exe'],
  ['https://example.com/%C2%A0x', 'https://example.com/%C2%A0x'],
  ['https://example.com/%E6%97', 'https://example.com/%E6%97'],
])('the address %s reads as %s', (address, shown) => {
  const { html } = render(`<${address}>`);
  expect(html).toMatch(/^<p><a [^>]*><bdi dir="ltr">([^<]*)<\/bdi><\/a><\/p>$/);
  expect(html).toContain(`>${shown}<`);
});

test.each([
  ['![A chart](https://example.com/a.png "title")', '>A chart</a> <span', ['https://example.com/a.png']],
  [
    '![](https://example.com/a.png)',
    '><bdi dir="ltr">https://example.com/a.png</bdi></a>',
    ['https://example.com/a.png'],
  ],
  ['[![build](https://example.com/b.svg)](https://ci.example/)', '>build</a> <span', ['https://ci.example/']],
  ['![chart](chart.png)', '<p>chart <span class="address">(<bdi dir="ltr">chart.png</bdi>)</span></p>', []],
  ['![run](javascript:alert(4))', '<p>run <span', []],
])('the image %s is not loaded, but is a link or text', (text, shown, expected) => {
  const { html, links } = render(text);
  expect(html).not.toContain('<img');
  expect(html).toContain(shown);
  expect(links).toStrictEqual(expected);
});

test('struck text, tables and task lists are rendered', () => {
  expect(render('~~old~~ ~home~').html).toBe('<p><del>old</del> ~home~</p>');
  expect(render('- [ ] one\n- [x] two').html).toBe(
    '<ul dir="auto">\n<li class="task"><span role="img" aria-label="to do">☐</span> one</li>\n<li class="task"><span role="img" aria-label="done">☑</span> two</li>\n</ul>',
  );
  expect(render('| a |\n| - |\n| 1 |').html).toContain('<table dir="auto">');
});

test.each([
  ['a list after a question', 'Which one?\n1. red\n2. *light* blue', ['red', 'light blue']],
  [
    'items with blank lines between them',
    '**Which one?**\n\n1) red & blue\n\n2) `green`',
    ['red & blue', 'green'],
  ],
  ['a full-width question mark', 'どれですか？\n\n1. 赤\n2. 青', ['赤', '青']],
  ['a link in an item', 'Which?\n\n1. [docs](https://example.com)\n2. none', ['docs', 'none']],
  ['no question', 'I did this:\n\n1. red\n2. blue', []],
  ['text between question and list', 'Which one?\n\nThese exist:\n\n1. red\n2. blue', []],
  ['bullets', 'Which one?\n\n- red\n- blue', []],
  ['one item', 'Which one?\n\n1. red', []],
  [
    'ten items',
    `Which?\n\n${Array.from({ length: 10 }, (_, index) => `${index + 1}. ${index}`).join('\n')}`,
    [],
  ],
  ['a long item', `Which?\n\n1. ${'x'.repeat(81)}\n2. y`, []],
  ['a list in an item', 'Which?\n\n1. red\n   - dark\n2. blue', []],
  ['code in an item', 'Which?\n\n1. red\n\n   ```\n   x\n   ```\n2. blue', []],
  ['two paragraphs in an item', 'Which?\n\n1. red\n\n   dark\n\n2. blue', []],
  ['a list that starts at 3', 'Which?\n\n3. red\n4. blue', []],
  ['two lists', 'Which?\n\n1. red\n2. blue\n\nWhere?\n\n1. here\n2. there', []],
])('the choices of %s', (_, text, expected) => {
  expect(render(text).choices).toStrictEqual(expected);
});

test('markup in a choice stays text', () => {
  expect(render('Which?\n\n1. <b>a</b>\n2. a &amp; "b"').choices).toStrictEqual(['<b>a</b>', 'a & "b"']);
});
