import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PageState } from './page-state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a page that answers no ping any more hangs', async () => {
  const state = new PageState(() => undefined);
  state.take({ type: 'ready' });
  for (let ping = 0; ping < 4; ping += 1) expect(state.missesPing()).toBe(true);
  state.take({ type: 'alive' });
  for (let ping = 0; ping < 5; ping += 1) expect(state.missesPing()).toBe(true);
  expect(state.missesPing()).toBe(false);
  expect(await state.ended).toStrictEqual({ kind: 'lost', reason: 'its window hangs' });
});

test('a page that is not there yet does not hang', () => {
  const state = new PageState(() => undefined);
  for (let ping = 0; ping < 10; ping += 1) expect(state.missesPing()).toBe(true);
});

test('a stream that broke without a word is a lost window, after a grace', async () => {
  const state = new PageState(() => undefined);
  state.streamBroke();
  vi.advanceTimersByTime(799);
  expect(state.take({ type: 'submit', text: 'just in time' })).toBe(true);
  expect(await state.ended).toStrictEqual({ kind: 'submitted', text: 'just in time' });

  const other = new PageState(() => undefined);
  other.streamBroke();
  vi.advanceTimersByTime(800);
  expect(await other.ended).toStrictEqual({ kind: 'lost', reason: 'its browser ended by itself' });
});

test.each([
  ['before', (state: PageState) => [leave(state, 'old'), state.listens('new')]],
  ['after', (state: PageState) => [state.listens('new'), leave(state, 'old')]],
])(
  'a page that is loaded again is the same popup, though the old one leaves %s the new one comes',
  async (_, reload) => {
    const state = new PageState(() => undefined);
    state.listens('old');
    reload(state);
    vi.advanceTimersByTime(5000);
    expect(state.take({ type: 'cancel' })).toBe(true);
    expect(await state.ended).toStrictEqual({ kind: 'cancelled' });
  },
);

function leave(state: PageState, load: string): void {
  state.take({ type: 'leave', load, text: '' });
}
