import { expect, test } from 'vitest';
import type { Approval } from '@deskside/desktop';
import { renderApproval, renderCalls, wholeValue } from './approval.ts';

const call = (id: string, value: string, calls = 1) => ({ id, arguments: [{ name: 'to', value }], calls });

const approval = (first: string, ...others: readonly string[]): Approval => ({
  ...call('a', first),
  others: others.map((value, index) => call(`other ${index}`, value)),
  more: ['session'],
  isExact: true,
});

test('each call shows all its arguments, escaped, both ends of a long one, whose rest is there on demand', () => {
  const long = `<b>${'x'.repeat(400)}\u202e`;
  const shown = approval('ada', long);
  const html = renderCalls(shown);
  expect(html.split('<div class="call"')).toHaveLength(3);
  expect(html).toContain('<dd><pre dir="auto"><span class="piece">ada</span></pre></dd>');
  expect(html).toMatch(
    /&lt;b&gt;x{77}<.*… x*\\u\{202e\}<.*404 characters<.*<pre dir="auto"><\/pre><\/details>/,
  );
  expect(html).not.toContain('<b>');
  const whole = (asked: string) => wholeValue(shown, new URLSearchParams(asked));
  expect(whole('call=other+0&part=0')).toBe(`<b>${'x'.repeat(400)}\\u{202e}`);
  expect(whole('call=other+0&part=1')).toBeUndefined();
  expect(whole('call=gone&part=0')).toBeUndefined();
});

test('twenty calls of 400 kB are a page of a few kilobytes', () => {
  const value = `first ${'\n long'.repeat(80_000)} last`;
  const html = renderCalls(approval(value, ...Array.from({ length: 19 }, () => value)));
  expect(html.length).toBeLessThan(40_000);
  expect(html).toMatch(/first long.*… .*long last.*480,011 characters/s);
});

test.each([
  ['line feeds', '\n'],
  ['carriage returns', '\r'],
  ['line ends of Windows', '\r\n'],
])('a value of many lines is folded, and its beginning shows what stands behind the %s', (_, end) => {
  const html = renderCalls(approval(`SELECT 1;${end.repeat(50)}DROP TABLE users`));
  expect(html).toContain('<summary><bdi><span class="piece">SELECT 1; DROP TABLE users</span></bdi>');
});

test('other separators of lines are shown as text', () => {
  const html = renderCalls(approval(`a${'\v\f\u0085\u2028\u2029'.repeat(10)}b`));
  expect(html).toContain(String.raw`<span class="piece">a\u{b}\u{c}\u{85}\u{2028}\u{2029}`);
  expect(html).not.toMatch(/[\v\f\u0085\u2028\u2029]/);
});

test('an id of another program stays in its attribute', () => {
  const html = renderCalls({ ...approval('ada'), id: '"><script>' });
  expect(html).toContain('data-id="&quot;&gt;&lt;script&gt;"');
});

test('several calls are allowed and denied together, or each alone', () => {
  expect(renderApproval(approval('ada')).buttons).toMatch(/>Deny<.*>Allow once</);
  expect(renderApproval({ ...approval('ada'), more: [] }).buttons).toMatch(/>Deny<.*>Allow</);
  expect(renderApproval(approval('ada', 'bob')).buttons).toMatch(/>Deny all<.*>Allow all shown once</);
  expect(renderCalls(approval('ada', 'bob')).match(/>Allow once</g)).toHaveLength(2);
  expect(renderCalls({ ...approval('ada', 'bob'), calls: 3 })).toContain('3 equal calls wait.');
});

const object = (given: Approval) => renderApproval(given).object?.replaceAll(/<[^>]*>/g, '');

test('the sentence ends with the first argument of a call that waits alone', () => {
  expect(object(approval('<ada>\u202e'))).toBe(String.raw` to &lt;ada&gt;\u{202e}`);
  expect(object(approval('ada', 'bob'))).toBe('');
  expect(object(approval('x'.repeat(40)))).toBe('');
  expect(object({ ...approval('ada'), arguments: [] })).toBe('');
});

test('an offer has buttons of its own, and neither a reason nor a later', () => {
  const offer = { accept: 'Log in', refuse: 'Not now' };
  const rendered = renderApproval({ ...approval('ada'), more: [], offer });
  expect(rendered.buttons).toMatch(/>Not now<.*>Log in</);
  expect(rendered).toMatchObject({ box: '', later: 'hidden', keys: expect.stringContaining('for not now') });
});
