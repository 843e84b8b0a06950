import { afterEach, expect, test, vi } from 'vitest';
import { INTERNAL_MEMBERS } from '../../build/bundles.ts';
import { ToolResults } from './tool-results.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const NOW = Date.parse('2026-05-01T10:00:00Z');
const AT = NOW - 60_000;
const timestamp = new Date(AT).toISOString();

const DAY_MS = 24 * 60 * 60_000;

/** A page that loads now, in a browser with this storage. */
function page(stored: unknown, { hidden = false, own = '' } = {}) {
  let text = JSON.stringify(stored);
  const document = { hidden };
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  vi.stubGlobal('document', document);
  vi.stubGlobal('localStorage', { getItem: () => text, setItem: (_: string, next: string) => (text = next) });
  const shown: string[] = [];
  const recorded: string[] = [];
  const results = new ToolResults({
    onShow: ({ id }) => void shown.push(id),
    onRecord: ({ id }) => void recorded.push(id),
    isShown: (id) => id === own,
  });
  /** Another tab shows it. */
  const showElsewhere = (id: string) => (text = JSON.stringify([[id, { at: AT, shownAt: Date.now() }]]));
  return { results, document, shown, recorded, showElsewhere, stored: () => JSON.parse(text) };
}

test('a result that another tab has shown before the load is not shown again', () => {
  const { results, shown, stored } = page([['a', { at: AT, shownAt: AT }]]);
  results.add({ id: 'a', timestamp });
  expect(shown).toStrictEqual([]);
  results.add({ id: 'b', timestamp });
  expect(shown).toStrictEqual(['b']);
  expect(stored()).toStrictEqual([
    ['a', { at: AT, shownAt: AT }],
    ['b', { at: AT, shownAt: NOW }],
  ]);
});

test('the build keeps the names that are stored', () => {
  expect(INTERNAL_MEMBERS.split(' ')).not.toContain('shownAt');
});

test('a result with a newer timestamp, and one that was shown a week ago, are shown again', () => {
  const { results, shown } = page([
    ['a', { at: AT - 1, shownAt: AT }],
    ['b', { at: AT, shownAt: NOW - 7 * DAY_MS }],
    ['c', { at: AT, shownAt: NOW - 7 * DAY_MS + 1 }],
  ]);
  for (const id of ['a', 'b', 'c']) results.add({ id, timestamp });
  expect(shown).toStrictEqual(['a', 'b']);
});

test('a hidden tab records results, and shows those that no other tab has shown when it becomes visible', () => {
  const { results, document, shown, recorded, showElsewhere } = page([], { hidden: true });
  for (const id of ['a', 'b']) results.add({ id, timestamp });
  expect([shown, recorded]).toStrictEqual([[], ['a', 'b']]);
  showElsewhere('a');
  document.hidden = false;
  results.showWaiting();
  results.showWaiting();
  expect(shown).toStrictEqual(['b']);
});

test('without a storage what waited is shown once', () => {
  const { results, shown } = page([], { hidden: true });
  vi.stubGlobal('localStorage', undefined);
  results.add({ id: 'a', timestamp });
  results.showWaiting();
  results.showWaiting();
  expect(shown).toStrictEqual(['a']);
});

test('what another tab shows from the load on is recorded here, and a toast that is here changes', () => {
  const { results, shown, recorded, showElsewhere } = page([], { own: 'mine' });
  showElsewhere('other');
  results.add({ id: 'other', timestamp });
  showElsewhere('mine');
  results.add({ id: 'mine', timestamp });
  expect([shown, recorded]).toStrictEqual([['mine'], ['other']]);
});

test('a newer result that a visible tab shows is not shown again with what waited', () => {
  const { results, document, shown } = page([], { hidden: true });
  results.add({ id: 'a', timestamp });
  document.hidden = false;
  results.add({ id: 'a', timestamp: new Date(AT + 1).toISOString() });
  vi.stubGlobal('localStorage', { getItem: () => '[]', setItem: () => undefined });
  results.showWaiting();
  expect(shown).toStrictEqual(['a']);
});

test('the storage keeps the 500 results that were shown last', () => {
  const { results, stored } = page([]);
  for (let count = 0; count <= 500; count += 1) results.add({ id: `${count}`, timestamp });
  results.add({ id: '1', timestamp: new Date(AT + 1).toISOString() });
  expect(stored()).toHaveLength(500);
  expect([stored()[0][0], stored().at(-1)[0]]).toStrictEqual(['2', '1']);
});

test('a storage that is empty or damaged does not keep a result away', () => {
  for (const stored of [null, 1, [null]]) {
    const { results, shown } = page(stored);
    results.add({ id: 'a', timestamp });
    expect(shown).toStrictEqual(['a']);
  }
});
