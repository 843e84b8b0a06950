import { statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { fileDraftStore } from './drafts.ts';

const draft = (id: string, text: string) => ({ id, text, question: 'Which one?', caller: 'Example host' });

test('a draft file holds one draft per question, the latest first, and only its owner can read it', async () => {
  const file = join(temporaryFolder(), 'new', 'drafts.json');
  const drafts = fileDraftStore(file);
  expect(await drafts.list()).toStrictEqual([]);
  await Promise.all([
    drafts.save(draft('1', 'a')),
    drafts.save(draft('2', 'b')),
    drafts.save(draft('1', ' ab\n')),
  ]);
  expect((await drafts.list()).map(({ text }) => text)).toStrictEqual([' ab\n', 'b']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await drafts.save(draft('1', ' '));
  await drafts.delete('2');
  expect(await drafts.list()).toStrictEqual([]);
});

test('a draft expires after 24 hours', async () => {
  let later = 0;
  const drafts = fileDraftStore(join(temporaryFolder(), 'drafts.json'), () => new Date(Date.now() + later));
  await drafts.save(draft('1', 'half a sentence'));
  later = 23 * 3_600_000;
  expect(await drafts.list()).toHaveLength(1);
  later = 25 * 3_600_000;
  expect(await drafts.list()).toStrictEqual([]);
});
