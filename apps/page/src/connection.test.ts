import { expect, onTestFinished, test, vi } from 'vitest';

/** What the page uses of its browser, and how the desk answers. */
async function openConnection() {
  const fetch = vi.fn<(path: string, init?: RequestInit) => Promise<Response>>();
  const uses = new EventTarget();
  vi.useFakeTimers();
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', fetch);
  vi.stubGlobal('addEventListener', uses.addEventListener.bind(uses));
  const seen = { visibilityState: 'visible' };
  vi.stubGlobal('document', seen);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  // The types of the page need a browser.
  const path = './browser/connection.ts';
  const { followDesk, sendAnswer, tellAgent } = await import(path);
  return { fetch, uses, seen, followDesk, sendAnswer, tellAgent };
}

test('the page says that its desk has ended after half a minute without an answer, and finds it if it comes back', async () => {
  const { fetch, followDesk } = await openConnection();
  fetch.mockRejectedValue(new TypeError('Failed to fetch'));
  const states: string[] = [];
  const followed: Promise<void> = followDesk(
    () => undefined,
    (state: string) => void states.push(state),
  );
  await vi.advanceTimersByTimeAsync(29_000);
  expect(new Set(states)).toStrictEqual(new Set(['lost']));
  await vi.advanceTimersByTimeAsync(11_000);
  expect(states.at(-1)).toBe('gone');
  const before = fetch.mock.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch.mock.calls.length - before).toBe(4);
  fetch.mockResolvedValueOnce(new Response('')).mockResolvedValue(new Response(null, { status: 401 }));
  await vi.advanceTimersByTimeAsync(16_000);
  await followed;
  expect(states.slice(-3)).toStrictEqual(['connected', 'lost', 'refused']);
});

test('a page that newer ones have replaced goes on when the person uses it, and only then', async () => {
  const { fetch, uses, seen, followDesk } = await openConnection();
  fetch
    .mockResolvedValueOnce(new Response('{"type":"ping"}\n{"type":"replaced"}\n'))
    .mockResolvedValue(new Response(null, { status: 401 }));
  const states: string[] = [];
  const followed: Promise<void> = followDesk(
    () => undefined,
    (state: string) => void states.push(state),
  );
  await vi.advanceTimersByTimeAsync(600_000);
  seen.visibilityState = 'hidden';
  uses.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(states).toStrictEqual(['connected', 'replaced']);
  seen.visibilityState = 'visible';
  uses.dispatchEvent(new Event('visibilitychange'));
  await followed;
  expect(states).toStrictEqual(['connected', 'replaced', 'refused']);
});

test('the page learns why a text was not received', async () => {
  const { fetch, sendAnswer, tellAgent } = await openConnection();
  for (const send of [
    (text: string) => sendAnswer('id', { kind: 'text', text }),
    (text: string) => tellAgent('session', text),
  ]) {
    // Letters of three bytes.
    expect(await send('あ'.repeat(88_000))).toBe('tooLong');
    for (const [status, result] of [
      [204, 'received'],
      [409, 'gone'],
      [500, 'noAnswer'],
    ] as const) {
      fetch.mockResolvedValueOnce(new Response(null, { status }));
      expect(await send('あ'.repeat(85_000))).toBe(result);
    }
    fetch.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    expect(await send('yes')).toBe('noAnswer');
  }
  expect(fetch).toHaveBeenCalledTimes(8);
});
