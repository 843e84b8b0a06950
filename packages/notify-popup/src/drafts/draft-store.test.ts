import { statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { draftFile } from './draft-store.ts';

test('keeps the latest text, readable for this user alone', async () => {
  const file = join(temporaryFolder(), 'new', 'draft.txt');
  const drafts = draftFile(file);
  expect(await drafts.latest()).toBeUndefined();
  await Promise.all([drafts.keep('a'), drafts.keep(' ab\n')]);
  expect(await drafts.latest()).toBe(' ab\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await drafts.keep(' ');
  expect(await drafts.latest()).toBeUndefined();
  await drafts.drop();
});

test('forgets it after a day', async () => {
  let later = 0;
  const drafts = draftFile(join(temporaryFolder(), 'draft.txt'), () => new Date(Date.now() + later));
  await drafts.keep('half a sentence');
  later = 23 * 3_600_000;
  expect(await drafts.latest()).toBe('half a sentence');
  later = 25 * 3_600_000;
  expect(await drafts.latest()).toBeUndefined();
});
