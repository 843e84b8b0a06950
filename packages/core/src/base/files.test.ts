import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../testkit/environment.ts';
import { nextChange } from './files.ts';

test('a change in a folder ends the wait, and so does its signal in a folder that does not exist', async () => {
  // Otherwise each wait ends after a second.
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  onTestFinished(() => timeout.mockRestore());
  using folder = temporaryFolder();
  {
    using change = nextChange(folder.path, new AbortController().signal);
    // macOS reports changes only some time after the call.
    const writes = setInterval(() => writeFileSync(join(folder.path, 'a'), 'x'), 20);
    onTestFinished(() => clearInterval(writes));
    await change.promise;
    clearInterval(writes);
  }
  const stop = new AbortController();
  using change = nextChange(join(folder.path, 'missing'), stop.signal);
  stop.abort();
  await change.promise;
  expect(timeout).toHaveBeenCalledTimes(2);
});
