import { expect, onTestFinished, test, vi } from 'vitest';

/** What the page uses of its browser, and how the desk answers. */
async function openConnection() {
  const fetch = vi.fn<(path: string, init?: RequestInit) => Promise<Response>>();
  vi.useFakeTimers();
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', fetch);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  // The types of the page need a browser.
  const path = './browser/connection.ts';
  const { followDesk, sendAnswer, tellAgent } = await import(path);
  return { fetch, followDesk, sendAnswer, tellAgent };
}

test('the page looks for its desk until a newer page has replaced it', async () => {
  const { fetch, followDesk } = await openConnection();
  fetch
    .mockRejectedValueOnce(new TypeError('Failed to fetch'))
    .mockResolvedValue(new Response('{"type":"ping"}\n{"type":"replaced"}\n'));
  const states: string[] = [];
  const followed: Promise<void> = followDesk(
    () => undefined,
    (state: string) => void states.push(state),
  );
  await vi.advanceTimersByTimeAsync(3000);
  await followed;
  expect(states).toStrictEqual(['lost', 'connected', 'replaced']);
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
