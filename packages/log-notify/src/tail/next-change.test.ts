import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { nextChange } from './next-change.ts';

test('a change in a folder ends the wait, and so does its signal in a folder that does not exist', async () => {
  // Otherwise each wait ends after a second.
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  onTestFinished(() => timeout.mockRestore());
  const folder = temporaryFolder();
  {
    using change = nextChange(folder, new AbortController().signal);
    // macOS reports changes only some time after the call.
    const writes = setInterval(() => writeFileSync(join(folder, 'a'), 'x'), 20);
    onTestFinished(() => clearInterval(writes));
    await change.promise;
    clearInterval(writes);
  }
  const stop = new AbortController();
  using change = nextChange(join(folder, 'missing'), stop.signal);
  stop.abort();
  await change.promise;
  expect(timeout).toHaveBeenCalledTimes(2);
});
