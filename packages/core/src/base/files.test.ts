import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { temporaryFolder } from '../testkit/environment.ts';
import { nextChange } from './files.ts';

test('a change in a folder ends the wait, and so does its signal in a folder that does not exist', async () => {
  using folder = temporaryFolder();
  {
    using change = nextChange(folder.path, new AbortController().signal);
    writeFileSync(join(folder.path, 'a'), '');
    await change.promise;
  }
  const stop = new AbortController();
  using change = nextChange(join(folder.path, 'missing'), stop.signal);
  stop.abort();
  await change.promise;
});
