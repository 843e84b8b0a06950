import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '@deskside/core';
import { fixedClock } from '@deskside/core/testing';
import { temporaryFolder } from '@deskside/testkit';
import { Quiet } from '../away/quiet.ts';
import { Connection } from '../database/connection.ts';
import { type ItemRow, valuesOf, WRITE_ITEM } from '../database/items.ts';
import { openSqlite } from '../database/sqlite.ts';
import { thisOwner } from '../files/owner.ts';
import { openJournal } from './journal.ts';
import { type ItemStart, type JournalFilter, type JournalRecord, withoutContent } from './records.ts';

const START = Date.parse('2026-11-22T10:00:00Z');
const DAY_MS = 86_400_000;

function place() {
  vi.stubEnv('TZ', 'UTC');
  onTestFinished(() => void vi.unstubAllEnvs());
  const clock = fixedClock('2026-11-22T10:00:00Z');
  const folder = join(temporaryFolder(), 'state');
  return {
    folder,
    clock,
    pass: clock.advance,
    open: (at = clock) => openJournal({ places: { state: folder, runtime: [] }, log: silentLog, clock: at }),
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const asked = (kind: ItemStart['kind'], more: Partial<ItemStart> = {}): ItemStart => ({
  kind,
  caller: 'Claude Code · shop',
  user: 'owner',
  project: 'shop',
  session: 's',
  ...more,
});

test('an item that has ended is not kept in memory, also if it ended before it was stored', async () => {
  await using journal = place().open();
  const items = Array.from({ length: 20 }, () => {
    const item = journal.begin(asked('call'));
    item.end('ok');
    return new WeakRef(item);
  });
  expect(await journal.records()).toHaveLength(20);
  await nextTurn();
  collectGarbage();
  expect(items.filter((item) => item.deref() !== undefined)).toStrictEqual([]);
});

test('an item is read as it was written, with local times, from files that only their owner can read', async () => {
  const { folder, open, pass } = place();
  vi.stubEnv('TZ', 'Asia/Kolkata');
  await using journal = open();
  const content = { text: 'Which one?', folder: '/srv/shop' };
  const item = journal.begin(asked('question', { token: 'laptop', mount: 'popup', tool: 'notify', content }));
  pass(500);
  item.shown();
  pass(1000);
  item.seen();
  pass(2500);
  item.end('answered', 'window', 'The blue one');
  item.end('cancelled', 'form');
  item.shown();
  const records = await journal.records();
  expect(records).toEqual([
    {
      id: item.id,
      ...asked('question'),
      token: 'laptop',
      mount: 'popup',
      tool: 'notify',
      asked: '2026-11-22T15:30:00.000+05:30',
      shown: '2026-11-22T15:30:00.500+05:30',
      seen: '2026-11-22T15:30:01.500+05:30',
      ended: '2026-11-22T15:30:04.000+05:30',
      outcome: 'answered',
      via: 'window',
      ms: 4000,
      content: { ...content, answer: 'The blue one' },
    },
  ]);
  await using other = open();
  expect(await other.records()).toStrictEqual(records);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of ['', '-wal', '-shm'])
    expect(statSync(join(folder, `desk.sqlite${name}`)).mode & 0o777).toBe(0o600);
});

test('what waits because another process writes for too long goes to the next place', async () => {
  const { folder, open, pass } = place();
  await using journal = open();
  await journal.records();
  using other = new Connection(folder);
  other.database.exec('BEGIN IMMEDIATE');
  const first = journal.begin(asked('call', { tool: 'first' }));
  for (let count = 0; count < 20_000; count += 1) journal.begin(asked('call'));
  pass(100);
  other.database.exec('ROLLBACK');
  first.end('ok');
  pass(100);
  const [found] = await journal.records({ ids: new Set([first.id]) });
  expect(found).toMatchObject({ tool: 'first', outcome: 'ok' });
});

/** What another process reads. */
async function storedIn({ open }: ReturnType<typeof place>): Promise<readonly JournalRecord[]> {
  await using other = open();
  return await other.records();
}

test('what has begun is stored after 10 ms or 64 items, and an answer at once', async () => {
  const at = place();
  await using journal = at.open();
  journal.begin(asked('call'));
  at.pass(9);
  expect(await storedIn(at)).toHaveLength(0);
  at.pass(1);
  expect(await storedIn(at)).toHaveLength(1);
  for (let index = 0; index < 63; index += 1) journal.begin(asked('call')).end('ok');
  expect(await storedIn(at)).toHaveLength(1);
  const question = journal.begin(asked('question'));
  expect(await storedIn(at)).toHaveLength(65);
  question.end('answered', 'window', 'Yes');
  expect(await storedIn(at)).toMatchObject({ 64: { content: { answer: 'Yes' } } });
});

const CALL: Partial<ItemRow>[] = [
  { kind: 'call', mount: 'popup', tool: 'notify', transport: 'http' },
  { kind: 'call', ended: START + 9, outcome: 'ok', ms: 9 },
];
const QUESTION: Partial<ItemRow>[] = [
  { kind: 'question', content: '{"text":"Which?"}' },
  { kind: 'question', shown: START + 2 },
  { kind: 'question', seen: START + 3 },
  {
    kind: 'question',
    ended: START + 8,
    outcome: 'answered',
    via: 'window',
    ms: 7,
    content: '{"answer":"A"}',
  },
  { kind: 'question', ended: START + 10, outcome: 'cancelled', via: 'form', ms: 9 },
];
/** As another process writes; by default a call of this process. */
function write(folder: string, ...rows: readonly Partial<ItemRow>[]): void {
  using connection = new Connection(folder);
  const call = { id: 'x', kind: 'call', caller: 'c', user: 'u', asked: START, owner: thisOwner() };
  for (const row of rows) connection.statement(WRITE_ITEM).run(...valuesOf({ ...call, ...row }));
}

test('a call and its question are one record, in whatever order they are written', async () => {
  const { folder, open } = place();
  await using journal = open();
  const order = fc.shuffledSubarray([0, 0, 1, 1, 1, 1, 1], { minLength: 7, maxLength: 7 });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(order, async (turns) => {
      const rest = [[...CALL], [...QUESTION]];
      count += 1;
      const id = `${count}`;
      write(folder, ...turns.map((turn) => ({ ...rest[turn]?.shift(), id })));
      expect(await journal.records({ ids: new Set([id]) })).toEqual([
        {
          id,
          kind: 'question',
          caller: 'c',
          user: 'u',
          mount: 'popup',
          tool: 'notify',
          transport: 'http',
          asked: '2026-11-22T10:00:00.000+00:00',
          shown: '2026-11-22T10:00:00.002+00:00',
          seen: '2026-11-22T10:00:00.003+00:00',
          ended: '2026-11-22T10:00:00.008+00:00',
          outcome: 'answered',
          via: 'window',
          ms: 9,
          content: { text: 'Which?', answer: 'A' },
        },
      ]);
    }),
    { numRuns: 30 },
  );
});

test('news is open after its call has ended, and may be shown and closed then', async () => {
  const { open } = place();
  await using journal = open();
  const call = journal.begin(asked('call', { id: 'x', tool: 'notify' }));
  const news = journal.begin(asked('news', { id: 'x' }));
  call.end('ok');
  expect(await journal.records()).toMatchObject([
    { kind: 'news', tool: 'notify', outcome: undefined, ms: 0 },
  ]);
  news.shown();
  news.end('closed', 'window');
  expect(await journal.records()).toMatchObject([
    { kind: 'news', outcome: 'closed', shown: expect.any(String) },
  ]);
});

test('known forms of secrets are replaced before they are stored', async () => {
  const { open } = place();
  await using journal = open();
  const item = journal.begin(asked('question', { content: { text: 'Is password=hunter2 right?' } }));
  item.end('answered', 'window', ['No:', ['gh', 'p_aB3dE6gH9jK2mN5pQ8rS1tU4vW7x'].join('')].join(' '));
  expect(await journal.records()).toMatchObject([
    { content: { text: 'Is password=[redacted] right?', answer: 'No: [redacted]' } },
  ]);
});

test('without content no text is stored, and everything else is', async () => {
  const { open } = place();
  await using journal = open();
  const item = withoutContent(journal).begin(asked('question', { content: { text: 'Which one?' } }));
  item.shown();
  item.seen();
  item.end('answered', 'window', 'The blue one');
  expect(await journal.records()).toMatchObject([
    { outcome: 'answered', shown: expect.any(String), seen: expect.any(String), content: undefined },
  ]);
});

test('texts go after 7 days and items after 90, or after what the person has chosen', async () => {
  const at = place();
  const { clock, open } = at;
  await using journal = open();
  const day = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      journal.begin(asked('news', { content: { text: 'Done' } })).end('closed');
      clock.advance(DAY_MS);
    }
  };
  const kept = async () => {
    const records = await journal.records();
    return [records.length, records.filter(({ content }) => content !== undefined).length];
  };
  day(100);
  expect(await kept()).toStrictEqual([91, 8]);
  await using other = open();
  expect(await other.keep({})).toStrictEqual({ texts: 7, items: 90 });
  expect(await other.keep({ texts: 2, items: 10 })).toStrictEqual({ texts: 2, items: 10 });
  expect(await kept()).toStrictEqual([10, 2]);
  day(2);
  expect(await kept()).toStrictEqual([11, 3]);
  expect(await other.keep({ texts: 0 })).toStrictEqual({ texts: 0, items: 10 });
  expect(await kept()).toStrictEqual([10, 0]);
  // The other program knows it at once.
  journal.begin(asked('news', { content: { text: 'Done' } })).end('closed');
  expect((await kept())[1]).toBe(0);
  // Nor does the answer bring back the text of its question.
  await other.keep({ texts: 2 });
  const question = journal.begin(asked('question', { content: { text: 'Which?' } }));
  expect((await kept())[1]).toBe(1);
  clock.advance(1000);
  await other.keep({ texts: 0 });
  await other.keep({ texts: 2 });
  question.end('answered', 'window', 'A');
  expect((await journal.records()).at(-1)?.content).toStrictEqual({ answer: 'A' });
});

test('what was recorded with a wrong date is kept for as long as what was recorded beside it', async () => {
  const { clock, open } = place();
  await using journal = open();
  const record = (id: string) => journal.begin(asked('news', { id, content: { text: id } })).end('closed');
  const texts = async () => (await journal.records()).flatMap(({ content }) => content?.text ?? []);
  record('before');
  // The machine has started without the time.
  clock.jump(-20_000 * DAY_MS);
  record('early');
  clock.jump(20_000 * DAY_MS + 400 * DAY_MS);
  record('late');
  clock.jump(-400 * DAY_MS);
  for (let day = 0; day < 8; day += 1) {
    record(`${day}`);
    clock.advance(DAY_MS);
    if (day === 6) expect(await texts()).toHaveLength(10);
  }
  record('after');
  expect(await texts()).toStrictEqual(['1', '2', '3', '4', '5', '6', '7', 'after']);
});

test('one start with a wrong date deletes nothing, and the newest item stays the newest', async () => {
  const { open } = place();
  const begin = async (id: string, now: string) => {
    await using journal = open(fixedClock(now));
    journal.begin(asked('news', { id, content: { text: id } })).end('closed');
  };
  await begin('first', '2026-11-20T10:00:00Z');
  await begin('wrong', '2027-11-22T10:00:00Z');
  await begin('last', '2026-11-23T10:00:00Z');
  await using journal = open();
  const records = await journal.records();
  expect(records.map(({ id, content }) => [id, content?.text])).toStrictEqual(
    ['first', 'wrong', 'last'].map((id) => [id, id]),
  );
});

const [pid = '', start = '', machine = ''] = thisOwner().split('.');
const now = Date.now();

test.each([
  ['runs', thisOwner(), now, undefined],
  ['has ended', `${2 ** 22 + 1}.1.${machine}`, now, 'interrupted'],
  ['has ended and another has its id', `${pid}.1.${machine}`, now, 'interrupted'],
  ['is of another version', 'of another version', now, undefined],
  ['runs on another machine or in a container', `${pid}.${start}.00`, now, undefined],
  ['is elsewhere and began a day ago', `${pid}.${start}.00`, now - DAY_MS - 1000, 'interrupted'],
])('an open item of a process that %s is open, or else interrupted', async (_title, owner, at, outcome) => {
  const { folder, open } = place();
  await using journal = open();
  write(folder, { owner, asked: at });
  expect(await journal.records()).toMatchObject([{ outcome }]);
  expect(await journal.records({ isOpen: true })).toHaveLength(outcome === undefined ? 1 : 0);
});

test('the last writer has an item, so it lives on after the process that began it', async () => {
  const { folder, open } = place();
  await using journal = open();
  write(folder, { kind: 'news', owner: `${pid}.1.${machine}` }, { kind: 'news', shown: START });
  expect(await journal.records()).toMatchObject([{ outcome: undefined, shown: expect.any(String) }]);
});

test('closing the journal interrupts what is open, and later items change nothing', async () => {
  const at = place();
  const journal = at.open();
  const item = journal.begin(asked('call'));
  await journal[Symbol.asyncDispose]();
  item.end('ok');
  journal.begin(asked('call'));
  at.pass(100);
  expect(await storedIn(at)).toMatchObject([{ outcome: 'interrupted', ended: expect.any(String) }]);
});

test('records are filtered, and limited to the newest', async () => {
  const { open, pass } = place();
  await using journal = open();
  journal.begin(asked('call', { id: 'a' })).end('ok');
  journal.begin(asked('question', { id: 'b', project: 'infra', content: { text: 'b' } }));
  await journal.records();
  pass(1000);
  const since = new Date(START + 500);
  journal.begin(asked('call', { id: 'c', project: undefined })).end('ok');
  const ids = async (filter: JournalFilter) => (await journal.records(filter)).map(({ id }) => id);
  expect(await ids({ matches: ({ outcome }) => outcome === 'ok' })).toEqual(['a', 'c']);
  expect(await ids({ matches: ({ id }) => id !== 'c', limit: 1 })).toEqual(['b']);
  expect(await ids({ project: 'shop' })).toEqual(['a']);
  expect(await ids({ kind: 'call' })).toEqual(['a', 'c']);
  expect(await ids({ isOpen: true })).toEqual(['b']);
  expect(await ids({ hasContent: true })).toEqual(['b']);
  expect(await ids({ since })).toEqual(['b', 'c']);
  expect(await ids({ since, kind: 'call' })).toEqual(['c']);
  expect(await ids({ since: new Date(START + 5000) })).toEqual(['b']);
  expect(await ids({ limit: 2 })).toEqual(['b', 'c']);
  expect(await ids({ limit: 0 })).toEqual([]);
  expect(await ids({ ids: new Set(['c', 'unknown', 'a']) })).toEqual(['a', 'c']);
  expect(await ids({ ids: new Set() })).toEqual([]);
});

test('many records are read in parts, in the order in which they began, whatever the clock says', async () => {
  const { clock, open } = place();
  await using journal = open();
  const ids = Array.from({ length: 1200 }, (_, index) => `${index}`);
  for (const id of ids) {
    clock.jump(-1000);
    journal.begin(asked('call', { id })).end('ok');
  }
  expect((await journal.records()).map(({ id }) => id)).toEqual(ids);
});

test('following yields what is there, each change once, and an item whose process was killed', async () => {
  const { folder, clock, open, pass } = place();
  const ended = new AbortController();
  await using journal = open();
  await using other = open();
  journal.begin(asked('call', { id: 'a' })).end('ok');
  const item = journal.begin(asked('question', { id: 'b' }));
  const following = journal.follow({ limit: 1, project: 'shop' }, ended.signal);
  const next = async (): Promise<readonly JournalRecord[]> => (await following.next()).value ?? [];
  expect(await next()).toMatchObject([{ id: 'b', outcome: undefined }]);
  journal.begin(asked('call', { id: 'c', project: 'infra' }));
  item.shown();
  pass(10);
  expect(await next()).toMatchObject([{ id: 'b', shown: expect.any(String) }]);
  item.end('answered');
  expect(await next()).toMatchObject([{ id: 'b', outcome: 'answered' }]);
  const later = next();
  other.begin(asked('news', { id: 'd' })).end('closed');
  await clock.advanceAsync(250);
  expect(await later).toMatchObject([{ id: 'd' }]);
  const owner = `${pid}.1.${machine}`;
  const dead = next();
  write(folder, { id: 'x', kind: 'question', project: 'shop', owner });
  await clock.advanceAsync(250);
  expect(await dead).toMatchObject([{ id: 'x', outcome: 'interrupted' }]);
  ended.abort();
  expect((await following.next()).done).toBe(true);
});

test('a state that changes while another process holds the database keeps what others have set', async () => {
  const { open, clock, folder } = place();
  {
    await using before = open();
    new Quiet(before, clock).begin('1h');
  }
  await using other = open();
  const quiet = new Quiet(other, clock);
  const holder = openSqlite(join(folder, 'desk.sqlite'));
  // Neither read nor written by others.
  holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  quiet.begin('15m', 'Codex');
  quiet.end('Cursor');
  expect(quiet.entries.map(({ agent }) => agent)).toStrictEqual(['Codex']);
  holder.exec('COMMIT');
  holder.close();
  await clock.advanceAsync(100);
  await using later = open();
  expect(new Quiet(later, clock).entries.map(({ agent }) => agent)).toStrictEqual([undefined, 'Codex']);
});
