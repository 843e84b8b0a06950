import { statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { fileDraftStore } from './drafts.ts';

test('a draft file holds the latest text, and only its owner can read it', async () => {
  const file = join(temporaryFolder(), 'new', 'draft.txt');
  const drafts = fileDraftStore(file);
  expect(await drafts.read()).toBeUndefined();
  await Promise.all([drafts.save('a'), drafts.save(' ab\n')]);
  expect(await drafts.read()).toBe(' ab\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await drafts.save(' ');
  expect(await drafts.read()).toBeUndefined();
  await drafts.delete();
});

test('a draft expires after 24 hours', async () => {
  let later = 0;
  const drafts = fileDraftStore(join(temporaryFolder(), 'draft.txt'), () => new Date(Date.now() + later));
  await drafts.save('half a sentence');
  later = 23 * 3_600_000;
  expect(await drafts.read()).toBe('half a sentence');
  later = 25 * 3_600_000;
  expect(await drafts.read()).toBeUndefined();
});
