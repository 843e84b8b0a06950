import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixedClock, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { type DraftStore, expireDrafts, fileDraftStore, memoryDraftStore } from './drafts.ts';

const about = { question: 'Which one?', caller: 'Example host', user: 'owner' };
const draft = (id: string, text: string) => ({ id, text, ...about });

/** A clock that moves one second per reading, and by `later`. */
function testClock() {
  const clock = { later: 0, readings: 0 };
  const now = () => {
    clock.readings += 1;
    return new Date(Date.UTC(2026, 2, 1) + clock.readings * 1000 + clock.later);
  };
  return { clock, now };
}

const STORES: readonly (readonly [string, (now: () => Date) => DraftStore])[] = [
  ['in files', (now) => fileDraftStore(join(temporaryFolder(), 'new/drafts'), now)],
  ['in memory', memoryDraftStore],
];

describe.each(STORES)('drafts %s', (_, open) => {
  test('there is one draft per question, the latest first, and blank text deletes it', async () => {
    const drafts = open(testClock().now);
    expect(await drafts.list()).toStrictEqual([]);
    void drafts.save(draft('1', 'a'));
    void drafts.save(draft('2', 'b'));
    void drafts.save(draft('1', ' ab\n'));
    expect((await drafts.list()).map(({ id, text }) => [id, text])).toStrictEqual([
      ['1', ' ab\n'],
      ['2', 'b'],
    ]);
    await drafts.save(draft('1', ' \n'));
    await drafts.delete('2');
    await drafts.delete('2');
    expect(await drafts.list()).toStrictEqual([]);
  });

  test('a draft expires after 24 hours, also one of a wrong date in the future, and the next one does not', async () => {
    const { clock, now } = testClock();
    const drafts = open(now);
    await drafts.save(draft('1', 'half a sentence'));
    clock.later = 23 * 3_600_000;
    expect(await drafts.list()).toHaveLength(1);
    clock.later = 25 * 3_600_000;
    expect(await drafts.list()).toStrictEqual([]);
    await drafts.save(draft('2', 'a'));
    clock.later = 0;
    await drafts.save(draft('3', 'b'));
    expect((await drafts.list()).map(({ text }) => text)).toStrictEqual(['b']);
  });
});

test('only the owner can read a draft', async () => {
  const folder = join(temporaryFolder(), 'drafts');
  await fileDraftStore(folder).save(draft('1', 'a'));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toStrictEqual(['1.json']);
  expect(statSync(join(folder, '1.json')).mode & 0o777).toBe(0o600);
});

test('files that are not drafts are skipped', async () => {
  const folder = temporaryFolder();
  const drafts = fileDraftStore(folder);
  await drafts.save(draft('1', 'a'));
  writeFileSync(join(folder, 'torn.json'), '{"id":"torn","te');
  writeFileSync(join(folder, 'other.json'), JSON.stringify({ ...draft('1', 'b'), savedAt: new Date() }));
  mkdirSync(join(folder, 'folder.json'));
  expect((await drafts.list()).map(({ text }) => text)).toStrictEqual(['a']);
});

test('an id that leads out of the folder deletes nothing', async () => {
  const parent = temporaryFolder();
  writeFileSync(join(parent, 'settings.json'), '{}');
  const drafts = fileDraftStore(join(parent, 'drafts'));
  await drafts.save(draft('1', 'a'));
  await drafts.delete('../settings');
  expect(readdirSync(parent).toSorted()).toStrictEqual(['drafts', 'settings.json']);
});

test('a draft that cannot be stored rejects, and the next one is stored', async () => {
  const parent = temporaryFolder();
  const drafts = fileDraftStore(join(parent, 'drafts'));
  mkdirSync(join(parent, 'drafts/1.json'), { recursive: true });
  await expect(drafts.save(draft('1', 'a'))).rejects.toThrow('EISDIR');
  await drafts.save(draft('2', 'b'));
  expect((await drafts.list()).map(({ text }) => text)).toStrictEqual(['b']);
});

test('what expires while a server runs is deleted within an hour, and after its end no more', async () => {
  const folder = temporaryFolder();
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const drafts = fileDraftStore(folder, clock.now);
  await drafts.save(draft('1', 'half a sentence'));
  const end = expireDrafts(drafts, clock);
  clock.advance(23 * 3_600_000);
  expect(readdirSync(folder)).toStrictEqual(['1.json']);
  clock.advance(2 * 3_600_000);
  await expect.poll(() => readdirSync(folder)).toStrictEqual([]);
  end();
  await fileDraftStore(folder, () => new Date(0)).save(draft('2', 'b'));
  await clock.advanceAsync(2 * 3_600_000);
  expect(readdirSync(folder)).toStrictEqual(['2.json']);
});
