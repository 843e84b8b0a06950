import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { IdleBrowser } from './idle-browser.ts';
import { idleBrowsers } from './idle-browsers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function browser() {
  const gone = Promise.withResolvers<void>();
  const kill = vi.fn<() => Promise<void>>(async () => gone.resolve());
  return { gone: gone.promise, kill, open: async () => undefined } satisfies IdleBrowser;
}

test('a browser that is kept is taken once', async () => {
  const idles = idleBrowsers();
  const kept = browser();
  idles.keep('light', kept);
  expect(await idles.take('light')).toBe(kept);
  expect(await idles.take('light')).toBeUndefined();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(kept.kill).not.toHaveBeenCalled();
});

test('a browser that nobody takes ends after a minute', async () => {
  const idles = idleBrowsers();
  const kept = browser();
  idles.keep('light', kept);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(kept.kill).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(kept.kill).toHaveBeenCalledOnce();
  expect(await idles.take('light')).toBeUndefined();
});

test('a browser with another look ends before the next one starts', async () => {
  const idles = idleBrowsers();
  const kept = browser();
  idles.keep('dark', kept);
  expect(await idles.take('light')).toBeUndefined();
  expect(kept.kill).toHaveBeenCalledOnce();
});

test('one that has ended by itself, or did not start, is none', async () => {
  const idles = idleBrowsers();
  const ended = browser();
  idles.keep('light', ended);
  await ended.kill();
  await vi.advanceTimersByTimeAsync(0);
  expect(await idles.take('light')).toBeUndefined();
  idles.keep('light', Promise.reject(new Error('no such program')));
  expect(await idles.take('light')).toBeUndefined();
});

test('one that is still starting is waited for, and ended with the rest', async () => {
  const idles = idleBrowsers();
  const kept = browser();
  idles.keep('light', Promise.resolve(kept));
  expect(await idles.take('light')).toBe(kept);
  idles.keep('light', Promise.resolve(kept));
  await idles[Symbol.asyncDispose]();
  expect(kept.kill).toHaveBeenCalledOnce();
});
