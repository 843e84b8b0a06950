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

/** The storage of a page with this content, in a visible tab that loads now. */
function page(stored: unknown) {
  let text = JSON.stringify(stored);
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  vi.stubGlobal('document', { hidden: false });
  vi.stubGlobal('localStorage', { getItem: () => text, setItem: (_: string, next: string) => (text = next) });
  const shown: string[] = [];
  const results = new ToolResults({ onShow: ({ id }) => void shown.push(id) });
  return { results, shown, stored: () => JSON.parse(text) };
}

test('a result that a tab with the first version has shown is not shown again', () => {
  const { results, shown, stored } = page([['a', { at: AT, shownAt: AT }]]);
  results.add({ id: 'a', timestamp });
  expect(shown).toStrictEqual([]);
  results.add({ id: 'b', timestamp });
  expect(shown).toStrictEqual(['b']);
  // A tab with the first version reads it.
  expect(stored()).toStrictEqual([
    ['a', { at: AT, shownAt: AT }],
    ['b', { at: AT, shownAt: NOW }],
  ]);
});

test('the build keeps the names that are stored', () => {
  expect(INTERNAL_MEMBERS.split(' ')).not.toContain('shownAt');
});

test('a result with a newer timestamp, and one that was shown eight days ago, are shown again', () => {
  const shownAt = NOW - 8 * 24 * 60 * 60_000;
  const { results, shown } = page([
    ['a', { at: AT - 1, shownAt: AT }],
    ['b', { at: AT, shownAt }],
  ]);
  for (const id of ['a', 'b']) results.add({ id, timestamp });
  expect(shown).toStrictEqual(['a', 'b']);
});

test('a storage that is empty or damaged does not keep a result away', () => {
  for (const stored of [null, 1, [null]]) {
    const { results, shown } = page(stored);
    results.add({ id: 'a', timestamp });
    expect(shown).toStrictEqual(['a']);
  }
});
