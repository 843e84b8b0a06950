import { expect, onTestFinished, test, vi } from 'vitest';

test('the page says that its desk has ended after half a minute without an answer, and finds it if it comes back', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  const fetch = vi.fn<() => Promise<Response>>().mockRejectedValue(new TypeError('Failed to fetch'));
  vi.stubGlobal('fetch', fetch);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  // The types of the page need a browser.
  const path = './browser/connection.ts';
  const { followDesk } = await import(path);
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
  // A desk that serves no further page has not ended.
  fetch.mockImplementation(async () => new Response(null, { status: 503 }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(states.at(-1)).toBe('lost');
  fetch.mockResolvedValueOnce(new Response('')).mockResolvedValue(new Response(null, { status: 401 }));
  await vi.advanceTimersByTimeAsync(16_000);
  await followed;
  expect(states.slice(-4)).toStrictEqual(['lost', 'connected', 'lost', 'refused']);
});
