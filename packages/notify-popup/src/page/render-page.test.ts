import { expect, test } from 'vitest';
import type { PopupSpec } from '../service/presenter.ts';
import { popupSpec } from '../testing/samples.ts';
import { type PageOptions, renderPage } from './render-page.ts';

function render(spec: PopupSpec, options: Partial<PageOptions> = {}): string {
  const page = renderPage(spec, { theme: 'light', plain: false, centered: true, ...options });
  return page.html('', spec.question.timeout);
}

test.each([
  ['a right-to-left override', '\u202E'],
  ['a tag character', '\u{E0041}'],
  ['a lone surrogate', '\uD800'],
])('%s is visible in message, title, caller, quick reply, history and missed question', (_, character) => {
  const text = `a${character}b`;
  const escaped = `a\\u{${character.codePointAt(0)?.toString(16)}}b`;
  const history = [{ message: text, reply: text, at: new Date(0) }];
  const missed = [{ id: '1', caller: text, firstLine: text, since: '2026-03-01T10:00:00Z', here: false }];
  const question = { message: text, title: text, caller: text, options: [text] };
  const html = render(popupSpec(question, { history, missed }));
  expect(html).not.toContain(character);
  // A quick reply is in the page twice: to show and to send.
  expect(html.split(escaped)).toHaveLength(1 + 3 + 2 + 2 + 2);
});

test.each([
  ['emoji', '👩🏽‍🚒 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['lines and tabs', 'one\n\ttwo'],
])('%s stays unchanged in the message', (_, text) => {
  const html = render(popupSpec({ message: text }), { plain: true });
  expect(html).toContain(`<p class="plain">${text}</p>`);
});

test('a long title is cut to 100 code points and a long caller to 130', () => {
  const html = render(popupSpec({ title: '👍'.repeat(101), caller: 'c'.repeat(131) }));
  expect(html).toContain(`<title>${'👍'.repeat(99)}…</title>`);
  expect(html).toContain(`<b><bdi>${'c'.repeat(129)}…</bdi></b>`);
});

test.each([
  [
    'Codex · laptop · <b>shop</b>',
    'Codex · laptop',
    'AI agent · project <bdi>&lt;b&gt;shop&lt;/b&gt;</bdi>',
    'C',
  ],
  ['«été»', '«été»', 'An AI agent asks', 'É'],
  ['...', '...', 'An AI agent asks', ''],
])('the header of %s has the agent, its project, an initial and a color', (caller, agent, about, initial) => {
  const html = render(popupSpec({ caller }));
  expect(html).toContain(`<b><bdi>${agent}</bdi></b> <span>${about}</span>`);
  expect(html).toMatch(new RegExp(`data-color="[0-7]" aria-hidden="true">${initial}</span>`));
});

test('links of the message and the history have one numbering', () => {
  const history = [{ message: 'see https://example.com/1', at: new Date(0) }];
  const spec = popupSpec({ message: '[a](https://example.com/2) anna@example.com' }, { history });
  const page = renderPage(spec, { theme: 'auto', plain: false, centered: true });
  const html = page.html('', undefined);
  const numbered = [...html.matchAll(/href="([^"]*)" data-link="(\d+)"/g)];
  expect(numbered).toHaveLength(3);
  for (const [, href, index] of numbered) expect(page.links[Number(index)]).toBe(href);
});

test('a long text of the history is cut, and the page says how much is missing', () => {
  const history = [{ message: '👍'.repeat(1700), reply: 'y'.repeat(500), at: new Date(0) }];
  const html = render(popupSpec({}, { history }));
  expect(html).toContain(`<p>${'👍'.repeat(500)}…</p>`);
  expect(html).toContain('1,200 more characters in the conversation log');
  expect(html).toContain(`<p class="plain">${'y'.repeat(500)}</p></div></div>`);
});

test('a draft is offered with its question and caller, and is inserted unchanged', () => {
  const draft = {
    id: 'a-1',
    text: '\n  5 < 6 \u202E"quoted"',
    question: '<b>Which?</b>',
    caller: 'Codex & co',
    user: 'owner',
    savedAt: '2026-03-01T10:00:00.000Z',
  };
  const html = render(popupSpec({}, { drafts: [draft] }));
  expect(html).toContain(`data-id="a-1" data-text="\n  5 &lt; 6 \u202E&quot;quoted&quot;"`);
  expect(html).toContain(String.raw`5 &lt; 6 \u{202e}&quot;quoted&quot;</p>`);
  expect(html).toContain('<q><bdi>&lt;b&gt;Which?&lt;/b&gt;</bdi></q> <bdi>Codex &amp; co</bdi>');
  expect(html).toContain('<time datetime="2026-03-01T10:00:00.000Z">');
});

const LIST = 'Which?\n\n1. red\n2. blue';

test.each([
  [
    'the options, and the list of the message stays',
    LIST,
    ['Yes & go', 'No'],
    ['Yes &amp; go', 'No'],
    '<li>blue</li>',
  ],
  ['the list at the end of a question, which goes', LIST, undefined, ['red', 'blue'], undefined],
  [
    'a list in the middle, in short',
    `${LIST}\n\nI like both.`,
    undefined,
    ['red', 'blue'],
    'class="replies short"',
  ],
  [
    'a list with links, in short',
    'Which?\n\n1. https://a.example\n2. blue',
    undefined,
    ['https://a.example', 'blue'],
    'class="replies short"',
  ],
  ['nothing', 'Done:\n\n1. red\n2. blue', undefined, [], '<li>blue</li>'],
])('the quick replies are %s', (_, message, options, expected, part) => {
  const html = render(popupSpec({ message, ...(options && { options }) }));
  expect([...html.matchAll(/data-reply="([^"]*)"/g)].map(([, text]) => text)).toStrictEqual(expected);
  const keys = [...html.matchAll(/<kbd aria-hidden="true">(\d+)</g)].map(([, key]) => Number(key));
  expect(keys).toStrictEqual(expected.map((_text, index) => index + 1));
  expect(html.includes('<ol dir="auto">')).toBe(part !== undefined);
  expect(html).toContain(part ?? '<ol class="replies"');
});

test('a message without an answer has its list, and no box, no quick replies and no drafts', () => {
  const html = render(popupSpec({ message: LIST, kind: 'news' }));
  expect(html).toContain('<li>blue</li>');
  expect(html).not.toMatch(/<textarea|data-reply/);
  expect(html).toContain('An AI agent says');
});

test('what Deskside itself says is plain text', () => {
  const message = '[x](https://a.example) <b>';
  const html = render(popupSpec({ message, kind: 'news', isOwn: true }));
  expect(html).toContain('<p class="plain">[x](https://a.example) &lt;b&gt;</p>');
  expect(html).toContain('tells you');
});

test('an offer hides the box and the later buttons', () => {
  const offer = { accept: 'Log in', refuse: 'Not now' };
  const approval = { arguments: [], calls: 1, more: [], isExact: false, offer };
  const html = render(popupSpec({ approval }));
  expect(html).toMatch(/<textarea[^>]* hidden>/);
  expect(html).toMatch(/id="later" hidden>/);
  expect(render(popupSpec())).not.toMatch(/<textarea[^>]* hidden>|id="later" hidden>/);
});

test('a page that loads again has the time that is left', () => {
  const page = renderPage(popupSpec(), { theme: 'auto', plain: false, centered: true });
  expect(page.html('', 61.2)).toContain('data-timeout="61.2"');
  expect(page.html('', undefined)).toContain('data-timeout=""');
});

test('the history says what became of a message without a reply', () => {
  const at = new Date('2026-03-01T10:00:00Z');
  const html = render(
    popupSpec(
      {},
      {
        history: [
          { message: 'Which one?', at, outcome: 'timed out' },
          { message: 'Done!', at },
        ],
      },
    ),
  );
  expect(html.split('</time> · timed out</p>')).toHaveLength(2);
});

const buttons = (html: string) => [...html.matchAll(/<button[^>]*>([^<]*)</g)].map(([, label]) => label);

test('a review shows every text whole, and offers to accept all, the reading tools or none', () => {
  const long = 'word '.repeat(100);
  const parts = [
    { title: 'files offers:', isHeading: true },
    {
      title: 'tool <b>\u202E',
      claim: 'destroys data',
      state: 'new' as const,
      text: `Deletes.\n\n${long}`,
      lines: [{ text: '! names a private file', mark: 'warning' as const }],
      fields: [{ text: '/inputSchema/type: object' }],
    },
    {
      title: 'tool read',
      schema: { properties: { path: { type: 'string', description: 'The <file>.' } } },
      fields: [{ text: '/inputSchema/type: array' }],
    },
  ];
  const approval = { arguments: [], calls: 1, more: [], isExact: false };
  const html = render(
    popupSpec({ message: 'Add files?', approval: { ...approval, review: { parts, offersReading: true } } }),
  );
  expect(html).toContain('<span class="piece">&lt;b&gt;\\u{202e}</span>');
  expect(html).toContain(
    `<p class="field" data-mark="warning" dir="auto"><span class="piece">! names a private`,
  );
  const shown = /<section class="part".*<\/section>/s.exec(html)?.[0].replaceAll(/<[^>]+>/g, '') ?? '';
  expect(shown).toContain(long);
  expect(shown).toContain('/inputSchema/type: object');
  expect(shown).toContain('path: string — The &lt;file&gt;.');
  // What programs read is folded, and a yes does not wait for it.
  expect(html).toMatch(/<details class="schema"><summary>Schema<\/summary><pre dir="ltr">[^<]*<\/pre>/);
  expect(buttons(html).slice(-3)).toStrictEqual([
    'Accept none',
    'Reading tools without a warning',
    'Accept all',
  ]);
  const calm = { parts: parts.slice(0, 0), offersReading: true };
  expect(buttons(render(popupSpec({ approval: { ...approval, review: calm } }))).at(-2)).toBe(
    'Reading tools only',
  );
  const whole = render(popupSpec({ approval: { ...approval, review: { parts, offersReading: false } } }));
  expect(buttons(whole).slice(-2)).toStrictEqual(['Deny', 'Apply']);
});
