import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { popupSpec } from '../testing/samples.ts';
import { PageState } from './page-state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a page that misses more than five pings hangs', async () => {
  const state = new PageState(popupSpec());
  state.receive({ type: 'ready' });
  for (let ping = 0; ping < 4; ping += 1) expect(state.countPing()).toBe(true);
  state.receive({ type: 'alive' });
  for (let ping = 0; ping < 5; ping += 1) expect(state.countPing()).toBe(true);
  expect(state.countPing()).toBe(false);
  expect(await state.ended).toStrictEqual({ kind: 'lost', reason: 'its window hangs' });
});

test('a page that has not loaded yet does not hang', () => {
  const state = new PageState(popupSpec());
  for (let ping = 0; ping < 10; ping += 1) expect(state.countPing()).toBe(true);
});

test('a page whose connection breaks can still answer within 800 ms; after that its window is lost', async () => {
  const state = new PageState(popupSpec());
  state.disconnected();
  vi.advanceTimersByTime(799);
  expect(state.receive({ type: 'submit', text: 'just in time' })).toBe(true);
  expect(await state.ended).toStrictEqual({ kind: 'submitted', text: 'just in time' });

  const other = new PageState(popupSpec());
  other.disconnected();
  vi.advanceTimersByTime(800);
  expect(await other.ended).toStrictEqual({ kind: 'lost', reason: 'its browser ended unexpectedly' });
});

test.each([
  ['before', (state: PageState) => [leave(state, 'old'), state.connected('new')]],
  ['after', (state: PageState) => [state.connected('new'), leave(state, 'old')]],
])(
  'a page that loads again is the same popup if the old load leaves %s the new one connects',
  async (_, reload) => {
    const state = new PageState(popupSpec());
    state.connected('old');
    reload(state);
    vi.advanceTimersByTime(5000);
    expect(state.receive({ type: 'cancel' })).toBe(true);
    expect(await state.ended).toStrictEqual({ kind: 'cancelled' });
  },
);

function leave(state: PageState, load: string): void {
  state.receive({ type: 'leave', load, text: '' });
}
