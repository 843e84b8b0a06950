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

/** A page state with a record of what its handlers got. */
function recordedState(
  spec: Parameters<typeof popupSpec>[1] = {},
  question: Parameters<typeof popupSpec>[0] = {},
) {
  const calls: string[] = [];
  const state = new PageState(
    popupSpec(question, {
      ...spec,
      onDraft: (text) => void calls.push(`draft ${text}`),
      onDeleteDraft: (id) => void calls.push(`delete ${id}`),
      onActivity: () => void calls.push('activity'),
      onAcceptsKeys: (accepts) => void calls.push(`accepts keys: ${accepts}`),
      onVisibility: (visibility) => void calls.push(visibility),
    }),
  );
  return { state, calls };
}

test('a page state passes on that the window is used or minimized, that keys count, and that a draft is deleted', () => {
  const { state, calls } = recordedState();
  state.receive({ type: 'activity' });
  state.receive({ type: 'acceptsKeys', accepts: true });
  state.receive({ type: 'acceptsKeys', accepts: false });
  state.receive({ type: 'visibility', isHidden: true });
  state.receive({ type: 'visibility', isHidden: false });
  state.receive({ type: 'deleteDraft', id: '1' });
  const keys = ['accepts keys: true', 'accepts keys: false'];
  expect(calls).toStrictEqual(['activity', ...keys, 'minimized', 'visible', 'delete 1']);
});

test('a cancellation that can be undone ends the popup after 3 s, with the text typed meanwhile', async () => {
  const { state, calls } = recordedState();
  const cancel = { type: 'cancel', text: 'half', canUndo: true } as const;
  for (const message of [cancel, { type: 'undo' }] as const) expect(state.receive(message)).toBe(true);
  vi.advanceTimersByTime(3000);
  expect(state.receive(cancel)).toBe(true);
  vi.advanceTimersByTime(2999);
  expect(state.receive({ type: 'draft', text: 'half a' })).toBe(true);
  vi.advanceTimersByTime(1);
  expect(state.receive({ type: 'undo' })).toBe(false);
  expect(state.receive({ type: 'draft', text: 'too late' })).toBe(false);
  expect(await state.ended).toStrictEqual({ kind: 'cancelled' });
  expect(calls).toStrictEqual(['draft half', 'draft half a']);
});

test.each([
  ['leaves', (state: PageState) => leave(state, 'load')],
  ['disconnects', (state: PageState) => state.disconnected()],
  ['is gone', (state: PageState) => state.windowGone(true)],
])('a cancelled window that %s has no more time to undo', async (_, close) => {
  const { state } = recordedState();
  state.connected('load');
  state.receive({ type: 'cancel', canUndo: true });
  // Some browsers open the connection again after Escape.
  state.connected('load');
  close(state);
  expect(await state.ended).toStrictEqual({ kind: 'cancelled' });
});

test('a cancellation that cannot be undone ends the popup at once, and once', async () => {
  const { state } = recordedState();
  expect(state.receive({ type: 'cancel' })).toBe(true);
  expect(state.receive({ type: 'cancel' })).toBe(false);
  expect(await state.ended).toStrictEqual({ kind: 'cancelled' });
});

test('news can be read, and a question cannot', async () => {
  const news = new PageState({ ...popupSpec({ kind: 'news' }) });
  expect(news.receive({ type: 'read' })).toBe(true);
  expect(await news.ended).toStrictEqual({ kind: 'read' });
  expect(recordedState().state.receive({ type: 'read' })).toBe(false);
});

const waitingCall = (id: string) => ({ id, arguments: [], calls: 1 });

test('an answer names the calls that the page showed, and is for those that still wait', async () => {
  const approval = { ...waitingCall('one'), others: [waitingCall('two')], more: [], isExact: true };
  const { state } = recordedState({}, { approval });
  expect(state.receive({ type: 'allow', scope: 'once' })).toBe(false);
  expect(state.receive({ type: 'allow', scope: 'once', ids: ['three'] })).toBe(false);
  expect(state.receive({ type: 'allow', scope: 'session', ids: ['one'] })).toBe(false);
  expect(state.receive({ type: 'deny', text: '', ids: [] })).toBe(false);
  state.notify({
    kind: 'approval',
    approval: { ...waitingCall('two'), others: [waitingCall('three')], more: [], isExact: true },
  });
  expect(state.receive({ type: 'deny', text: '', ids: ['one'] })).toBe(false);
  expect(state.receive({ type: 'allow', scope: 'once', ids: ['one', 'two'] })).toBe(true);
  expect(await state.ended).toStrictEqual({ kind: 'allowed', scope: 'once', ids: ['two'] });
});

test.each([
  [true, 'reading', { kind: 'allowed', scope: 'once', isReadingOnly: true }],
  [true, 'once', { kind: 'allowed', scope: 'once' }],
  [false, 'once', { kind: 'allowed', scope: 'once' }],
  [false, 'reading', undefined],
  [true, 'always', undefined],
  // A call is not allowed by the answer to a review.
  [undefined, 'reading', undefined],
] as const)(
  'a review that offers the reading tools (%j) ends with %s as %j',
  async (offersReading, scope, ending) => {
    const review = offersReading !== undefined && { review: { parts: [], offersReading } };
    const approval = { arguments: [], calls: 1, more: [], isExact: false, ...review };
    const state = new PageState(popupSpec({ approval }));
    expect(state.receive({ type: 'allow', scope })).toBe(ending !== undefined);
    if (ending !== undefined) expect(await state.ended).toStrictEqual(ending);
  },
);
