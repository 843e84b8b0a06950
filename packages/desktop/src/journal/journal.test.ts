import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ItemStart, JournalFilter, JournalRecord } from './records.ts';
import { createLog, silentLog } from '@deskside/core';
import { fixedClock, temporaryFolder } from '@deskside/core/testing';
import { Fold, type ItemLine } from './fold.ts';
import { openJournal } from './journal.ts';
import { followJournal, readJournal } from './read.ts';
import { MAX_SEGMENT_BYTES, segmentNames } from './segments.ts';
import { thisWriter } from './writer-life.ts';

const START = Date.parse('2026-11-22T10:00:00Z');
/** Then a writer looks whether its segment is still there. */
const LOOK_MS = 1000;

function place() {
  const opened = temporaryFolder();
  onTestFinished(() => opened[Symbol.dispose]());
  vi.stubEnv('TZ', 'UTC');
  onTestFinished(() => void vi.unstubAllEnvs());
  const clock = fixedClock('2026-11-22T10:00:00Z');
  const folder = join(opened.path, 'state/journal');
  return {
    folder,
    clock,
    pass: clock.advance,
    open: (log = silentLog) => openJournal({ folder, log, clock }),
    read: (filter = {}) => readJournal(folder, filter, clock),
    text: () =>
      segmentNames(folder)
        .map((name) => readFileSync(join(folder, name), 'utf8'))
        .join(''),
  };
}

const asked = (kind: ItemStart['kind'], more: Partial<ItemStart> = {}): ItemStart => ({
  kind,
  caller: 'Claude Code · shop',
  user: 'owner',
  project: 'shop',
  session: 's',
  ...more,
});

test('an item is read as it was written, with local times, from files that only their owner can read', async () => {
  const { folder, open, pass, read } = place();
  vi.stubEnv('TZ', 'Asia/Kolkata');
  await using journal = open();
  const item = journal.begin(asked('question', { token: 'laptop', mount: 'popup', tool: 'notify' }));
  pass(500);
  item.shown();
  pass(1000);
  item.seen();
  pass(2500);
  item.end('answered', 'window');
  item.end('cancelled', 'form');
  item.shown();
  expect(await journal.records()).toStrictEqual([
    {
      id: item.id,
      ...asked('question'),
      token: 'laptop',
      mount: 'popup',
      tool: 'notify',
      transport: undefined,
      asked: '2026-11-22T15:30:00.000+05:30',
      shown: '2026-11-22T15:30:00.500+05:30',
      seen: '2026-11-22T15:30:01.500+05:30',
      ended: '2026-11-22T15:30:04.000+05:30',
      outcome: 'answered',
      via: 'window',
      ms: 4000,
    },
  ]);
  expect(await read()).toStrictEqual(await journal.records());
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test('what has begun is in the file after 10 ms, and an item that ends before is one line', async () => {
  const { open, pass, text } = place();
  await using journal = open();
  journal.begin(asked('call', { id: 'a' })).end('ok');
  journal.begin(asked('call', { id: 'b' }));
  pass(9);
  expect(text()).toBe('');
  pass(1);
  expect(text().match(/"id":"a"/g)).toHaveLength(1);
  expect(text()).toContain('"id":"b"');
});

const CALL: readonly Partial<ItemLine>[] = [
  {
    asked: '2026-11-22T10:00:00.000+00:00',
    caller: 'c',
    user: 'u',
    mount: 'popup',
    tool: 'notify',
    transport: 'http',
  },
  { ended: '2026-11-22T10:00:09.000+00:00', outcome: 'ok', ms: 9000 },
];
const QUESTION: readonly Partial<ItemLine>[] = [
  { asked: '2026-11-22T10:00:01.000+00:00', caller: 'c', user: 'u' },
  { shown: '2026-11-22T10:00:02.000+00:00' },
  { seen: '2026-11-22T10:00:03.000+00:00' },
  { ended: '2026-11-22T10:00:08.000+00:00', outcome: 'answered', via: 'window', ms: 7000 },
  { ended: '2026-11-22T10:00:10.000+00:00', outcome: 'cancelled', via: 'form', ms: 9000 },
];

test('a call and its question are one record, in whatever order their lines come', () => {
  const order = fc.shuffledSubarray([0, 0, 1, 1, 1, 1, 1], { minLength: 7, maxLength: 7 });
  fc.assert(
    fc.property(order, (turns) => {
      const fold = new Fold();
      const done = [0, 0];
      for (const turn of turns) {
        const [kind, lines] = turn === 0 ? (['call', CALL] as const) : (['question', QUESTION] as const);
        fold.add(JSON.stringify({ id: 'x', by: kind, kind, ...lines[done[turn] ?? 0] }), 's');
        done[turn] = (done[turn] ?? 0) + 1;
      }
      expect(fold.record('x', new Date(START))).toStrictEqual({
        id: 'x',
        kind: 'question',
        caller: 'c',
        user: 'u',
        token: undefined,
        project: undefined,
        session: undefined,
        mount: 'popup',
        tool: 'notify',
        transport: 'http',
        asked: '2026-11-22T10:00:00.000+00:00',
        shown: '2026-11-22T10:00:02.000+00:00',
        seen: '2026-11-22T10:00:03.000+00:00',
        ended: '2026-11-22T10:00:08.000+00:00',
        outcome: 'answered',
        via: 'window',
        ms: 9000,
      });
    }),
  );
});

test('news is open after its call has ended, and may be shown and closed then', async () => {
  const { open, read } = place();
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
  expect(await read()).toHaveLength(1);
});

test('a torn last line and one with a wrong time are left out, and the next record is read', async () => {
  const { folder, open, read } = place();
  await using first = open();
  first.begin(asked('call', { id: 'a' }));
  await first.records();
  const [name = ''] = segmentNames(folder);
  const wrong = { id: 'wrong', by: 'w', kind: 'call', caller: 'c', user: 'u', asked: 'today' };
  appendFileSync(join(folder, name), `\n${JSON.stringify(wrong)}\n{"id":"torn","by":"w","ki`);
  first.begin(asked('call', { id: 'b' }));
  await using second = open();
  second.begin(asked('call', { id: 'c' }));
  await Promise.all([first.records(), second.records()]);
  expect((await read()).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test('a full segment is followed by the next one, and each segment names its writers', async () => {
  const { folder, open, read } = place();
  await using journal = open();
  const item = journal.begin(asked('question', { id: 'a' }));
  await journal.records();
  const [name = ''] = segmentNames(folder);
  appendFileSync(join(folder, name), `\n${'x'.repeat(MAX_SEGMENT_BYTES)}\n`);
  item.shown();
  await journal.records();
  item.end('answered');
  await journal.records();
  expect(segmentNames(folder)).toEqual(['2026-11-22.000001.jsonl', '2026-11-22.000002.jsonl']);
  const second = readFileSync(join(folder, '2026-11-22.000002.jsonl'), 'utf8');
  expect(second).toMatch(/^\n\{"writer":/);
  expect(await read()).toMatchObject([{ id: 'a', shown: expect.any(String), outcome: 'answered' }]);
});

test('a day begins a segment; what is older than 30 days and the oldest beyond 16 MB is deleted', async () => {
  const { folder, open, pass } = place();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const create = (name: string, bytes = 1) => {
    writeFileSync(join(folder, name), '', { mode: 0o600 });
    truncateSync(join(folder, name), bytes);
  };
  create('2026-10-22.000001.jsonl');
  create('2026-10-23.000001.jsonl');
  create('notes.txt', 20 * MAX_SEGMENT_BYTES);
  await using journal = open();
  journal.begin(asked('call'));
  await journal.records();
  expect(readdirSync(folder)).toEqual(['2026-10-23.000001.jsonl', '2026-11-22.000001.jsonl', 'notes.txt']);
  for (let number = 2; number <= 18; number += 1) {
    create(`2026-11-22.0000${String(number).padStart(2, '0')}.jsonl`, MAX_SEGMENT_BYTES);
  }
  pass(86_400_000);
  journal.begin(asked('call'));
  await journal.records();
  expect(segmentNames(folder)).toHaveLength(17);
  expect(segmentNames(folder)[0]).toBe('2026-11-22.000003.jsonl');
  expect(segmentNames(folder).at(-1)).toBe('2026-11-23.000001.jsonl');
});

test('a clock that is set back continues the newest segment', async () => {
  const { folder, clock, open } = place();
  await using journal = open();
  journal.begin(asked('call'));
  await journal.records();
  clock.jump(-3 * 86_400_000);
  await using second = open();
  second.begin(asked('call'));
  await second.records();
  expect(segmentNames(folder)).toEqual(['2026-11-22.000001.jsonl']);
});

test('one start with a wrong date deletes nothing, and its records are not the newest', async () => {
  const { folder } = place();
  const write = async (id: string, now: string) => {
    await using journal = openJournal({ folder, log: silentLog, clock: fixedClock(now) });
    journal.begin(asked('call', { id })).end('ok');
  };
  await write('first', '2026-11-20T10:00:00Z');
  await write('wrong', '2027-11-22T10:00:00Z');
  await write('last', '2026-11-23T10:00:00Z');
  expect(segmentNames(folder)).toEqual([
    '2026-11-20.000001.jsonl',
    '2026-11-23.000001.jsonl',
    '2027-11-22.000001.jsonl',
  ]);
  const read = await readJournal(folder, {}, fixedClock('2026-11-23T11:00:00Z'));
  expect(read.map(({ id }) => id)).toEqual(['wrong', 'first', 'last']);
});

test('a full segment of a wrong date deletes nothing either, and what is full of them goes first', async () => {
  const { folder } = place();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const create = (name: string) => {
    writeFileSync(join(folder, name), '', { mode: 0o600 });
    truncateSync(join(folder, name), MAX_SEGMENT_BYTES);
  };
  const write = async (now: string) => {
    await using journal = openJournal({ folder, log: silentLog, clock: fixedClock(now) });
    journal.begin(asked('call')).end('ok');
  };
  create('2026-11-20.000001.jsonl');
  create('2027-11-22.000001.jsonl');
  await write('2027-11-22T10:00:00Z');
  await write('2027-11-23T10:00:00Z');
  expect(segmentNames(folder)[0]).toBe('2026-11-20.000001.jsonl');
  for (let number = 10; number <= 25; number += 1) create(`2027-11-22.0000${number}.jsonl`);
  await write('2026-11-23T10:00:00Z');
  expect(segmentNames(folder).slice(0, 2)).toEqual(['2026-11-20.000001.jsonl', '2026-11-23.000001.jsonl']);
  expect(segmentNames(folder)).toHaveLength(17);
});

test('a journal that cannot be written is reported once, until it can be written again, and fails no item', async () => {
  const { folder, open } = place();
  const lines: string[] = [];
  await using journal = open(createLog({ level: 'info', write: (line) => lines.push(line) }));
  const parent = join(folder, '..');
  for (const isBroken of [true, true, false, true]) {
    rmSync(parent, { recursive: true, force: true });
    if (isBroken) writeFileSync(parent, '');
    journal.begin(asked('call')).end('ok');
    if (isBroken) await expect(journal.records()).rejects.toThrow(`cannot be read: ${parent} is a file.`);
    else expect(await journal.records()).toHaveLength(3);
  }
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('journal not written');
  rmSync(parent);
});

/** Puts a file where the folder of the journal is. @returns a function that puts the folder back */
function without(folder: string): () => void {
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, '');
  return () => {
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
  };
}

test.skipIf(process.platform === 'win32')(
  'what could not be written is written with what comes next, or when the journal is read or closed',
  async () => {
    const { folder, open, pass, read } = place();
    const journal = open();
    const ends = ['a', 'b', 'c'].map((id) => journal.begin(asked('call', { id })));
    for (const [index, next] of [
      () => void journal.begin(asked('call', { id: 'next' })),
      () => journal.records(),
      () => journal[Symbol.asyncDispose](),
    ].entries()) {
      await journal.records();
      const restore = without(folder);
      pass(LOOK_MS);
      ends[index]?.end('ok');
      pass(LOOK_MS);
      restore();
      expect((await read())[index]?.outcome).toBeUndefined();
      await next();
      pass(LOOK_MS);
      expect((await read())[index]?.outcome).toBe('ok');
    }
    expect(await read()).toHaveLength(4);
  },
);

test.skipIf(process.platform === 'win32')(
  'of what could not be written the newest whole lines are kept, one segment of them',
  async () => {
    const { folder, open, pass, read, text } = place();
    await using journal = open();
    journal.begin(asked('call', { id: 'first' }));
    await journal.records();
    const restore = without(folder);
    pass(LOOK_MS);
    const caller = 'ü'.repeat(256);
    for (let id = 0; id < 2000; id += 1) {
      journal.begin(asked('call', { id: `${id}`, caller })).end('ok');
      if (id % 100 === 0) pass(LOOK_MS);
    }
    pass(LOOK_MS);
    restore();
    journal.begin(asked('call', { id: 'last' }));
    await journal.records();
    expect(Buffer.byteLength(text())).toBeLessThan(MAX_SEGMENT_BYTES + 2000);
    const ids = (await read()).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(1000);
    expect(ids).toEqual([
      'first',
      ...Array.from({ length: ids.length - 2 }, (_, i) => `${i + 2002 - ids.length}`),
      'last',
    ]);
  },
);

test('a folder that is deleted while the journal is open is created again with the record that met it', async () => {
  const { folder, open, read } = place();
  await using journal = open();
  journal.begin(asked('call', { id: 'a' }));
  await journal.records();
  rmSync(folder, { recursive: true });
  journal.begin(asked('call', { id: 'b' }));
  expect((await journal.records()).map(({ id }) => id)).toEqual(['b']);
  expect((await read()).map(({ id }) => id)).toEqual(['b']);
});

test('a journal that other users can use is neither written nor read, and the remedy is named', async () => {
  const { folder, open, read } = place();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o755);
  const lines: string[] = [];
  await using journal = open(createLog({ level: 'info', write: (line) => lines.push(line) }));
  journal.begin(asked('call'));
  await journal.records();
  expect(lines.join('')).toContain(`chmod 700 ${folder}`);
  expect(segmentNames(folder)).toEqual([]);
  chmodSync(folder, 0o700);
  writeFileSync(join(folder, '2026-11-22.000001.jsonl'), '', { mode: 0o644 });
  await expect(read()).rejects.toThrow('chmod 600');
});

/** The mode keeps root out of no file, and no user of Windows. */
const opensAll = (process.getuid?.() ?? 0) === 0;

test.skipIf(opensAll)(
  'a segment that this user cannot open is passed over, and the next one is written',
  async () => {
    const { folder, open, pass, read } = place();
    const lines: string[] = [];
    await using journal = open(createLog({ level: 'info', write: (line) => lines.push(line) }));
    const ids = async () => (await read()).map(({ id }) => id);
    const begin = async (id: string) => {
      journal.begin(asked('call', { id }));
      await journal.records();
    };
    await begin('first');
    pass(86_400_000);
    await begin('hidden');
    const hidden = join(folder, '2026-11-23.000001.jsonl');
    chmodSync(hidden, 0);
    expect(await ids()).toEqual(['first']);
    pass(LOOK_MS);
    await begin('last');
    expect(segmentNames(folder)).toEqual([
      '2026-11-22.000001.jsonl',
      '2026-11-23.000001.jsonl',
      '2026-11-23.000002.jsonl',
    ]);
    expect(await ids()).toEqual(['first', 'last']);
    expect(lines).toEqual([]);
    chmodSync(hidden, 0o600);
    expect(await ids()).toEqual(['first', 'hidden', 'last']);
  },
);

const BEGUN = {
  by: 'w',
  id: 'x',
  kind: 'question',
  caller: 'c',
  user: 'u',
  asked: '2026-11-22T10:00:00.000Z',
};

test.each([
  ['runs', {}, undefined],
  ['has ended', { pid: 2 ** 22 + 1, start: '1' }, 'interrupted'],
  ['has ended and another has its id', { start: '1' }, 'interrupted'],
  ['ran before this machine was started', { boot: 'earlier' }, 'interrupted'],
  ['runs on another machine', { host: `not ${hostname()}` }, undefined],
  ['runs in another container', { space: 'pid:[1]' }, undefined],
])('an open item of a process that %s is open, or else interrupted', (_title, changed, outcome) => {
  const fold = new Fold();
  fold.add(JSON.stringify({ ...thisWriter('w', '2026-11-22T10:00:00.000Z'), ...changed }), 's');
  fold.add(JSON.stringify(BEGUN), 's');
  expect(fold.record('x', new Date(START + 60_000))?.outcome).toBe(outcome);
});

test('an open item of a process that this one cannot see is interrupted after a day', () => {
  const fold = new Fold();
  fold.add(
    JSON.stringify({ ...thisWriter('w', '2026-11-22T10:00:00.000Z'), host: `not ${hostname()}` }),
    's',
  );
  fold.add(JSON.stringify(BEGUN), 's');
  expect(fold.record('x', new Date(START + 86_400_001))?.outcome).toBe('interrupted');
});

test('the last writer has an item, so it lives on after the process that began it', () => {
  const fold = new Fold();
  fold.add(JSON.stringify({ ...thisWriter('w', '2026-11-22T10:00:00.000Z'), start: '1' }), 's');
  fold.add(JSON.stringify(thisWriter('helper', '2026-11-22T10:00:00.000Z')), 's');
  fold.add(JSON.stringify(BEGUN), 's');
  expect(fold.record('x', new Date(START))?.outcome).toBe('interrupted');
  fold.add(
    JSON.stringify({ id: 'x', by: 'helper', kind: 'question', shown: '2026-11-22T10:00:01.000Z' }),
    's',
  );
  expect(fold.record('x', new Date(START))?.outcome).toBeUndefined();
});

test('a journal that stays open forgets the items of a segment that was deleted', async () => {
  const { folder, open, pass } = place();
  await using journal = open();
  journal.begin(asked('call', { id: 'old' })).end('ok');
  const item = journal.begin(asked('question', { id: 'open' }));
  expect(await journal.records()).toHaveLength(2);
  pass(86_400_000);
  item.shown();
  expect(await journal.records()).toHaveLength(2);
  rmSync(join(folder, '2026-11-22.000001.jsonl'));
  expect(await journal.records()).toMatchObject([{ id: 'open', shown: expect.any(String) }]);
});

test('closing the journal interrupts what is open', async () => {
  const { open, read } = place();
  const journal = open();
  journal.begin(asked('call'));
  await journal[Symbol.asyncDispose]();
  expect(await read()).toMatchObject([{ outcome: 'interrupted', ended: expect.any(String) }]);
});

test('records are filtered by agent, project, kind and state, and limited to the newest', async () => {
  const { open } = place();
  await using journal = open();
  journal.begin(asked('call', { id: 'a' })).end('ok');
  journal.begin(asked('question', { id: 'b', caller: 'codex', token: 'Laptop', project: 'infra' }));
  journal.begin(asked('call', { id: 'c', project: undefined }));
  const ids = async (filter: object) => (await journal.records(filter)).map(({ id }) => id);
  expect(await ids({ agent: 'claude' })).toEqual(['a', 'c']);
  expect(await ids({ agent: 'laptop' })).toEqual(['b']);
  expect(await ids({ project: 'shop' })).toEqual(['a']);
  expect(await ids({ kind: 'call' })).toEqual(['a', 'c']);
  expect(await ids({ isOpen: true })).toEqual(['b', 'c']);
  expect(await ids({ isOpen: false })).toEqual(['a']);
  expect(await ids({ limit: 2 })).toEqual(['b', 'c']);
  expect(await ids({ limit: 0 })).toEqual([]);
});

test('with ids only these items are read, in the same order, also if some are unknown', async () => {
  const { folder, clock, open, pass } = place();
  await using journal = open();
  for (const id of ['a', 'b', 'c', 'd']) {
    journal.begin(asked('call', { id })).end('ok');
    pass(1);
  }
  journal.begin(asked('question', { id: 'e' }));
  const ids = async (filter: JournalFilter) => (await journal.records(filter)).map(({ id }) => id);
  expect(await ids({ ids: new Set(['e', 'unknown', 'd', 'b']) })).toEqual(['b', 'd', 'e']);
  expect(await ids({ ids: new Set(['e', 'd', 'b']), limit: 2 })).toEqual(['d', 'e']);
  expect(await ids({ ids: new Set(['e', 'd']), kind: 'question' })).toEqual(['e']);
  expect(await ids({ ids: new Set() })).toEqual([]);
  const ended = new AbortController();
  const following = followJournal(folder, { ids: new Set(['b', 'later']) }, ended.signal, clock);
  expect((await following.next()).value).toMatchObject([{ id: 'b' }]);
  for (const id of ['other', 'later']) journal.begin(asked('call', { id }));
  pass(10);
  expect((await following.next()).value).toMatchObject([{ id: 'later' }]);
  ended.abort();
});

test('records are in the order in which they began', async () => {
  const { open, pass } = place();
  await using journal = open();
  pass(1000);
  journal.begin(asked('call', { id: 'late' }));
  pass(-1000);
  journal.begin(asked('call', { id: 'early' }));
  expect((await journal.records()).map(({ id }) => id)).toEqual(['early', 'late']);
});

test('following yields what is there, each change once, and an item whose process is killed', async () => {
  const { folder, clock, open, pass } = place();
  const ended = new AbortController();
  const following = followJournal(folder, { limit: 1, project: 'shop' }, ended.signal, clock);
  await using journal = open();
  journal.begin(asked('call', { id: 'a' })).end('ok');
  const item = journal.begin(asked('question', { id: 'b' }));
  await journal.records();
  const next = async (): Promise<readonly JournalRecord[]> => (await following.next()).value ?? [];
  expect(await next()).toMatchObject([{ id: 'b', outcome: undefined }]);
  journal.begin(asked('call', { id: 'c', project: 'infra' }));
  item.shown();
  pass(10);
  expect(await next()).toMatchObject([{ id: 'b', shown: expect.any(String) }]);
  item.end('answered');
  pass(10);
  expect(await next()).toMatchObject([{ id: 'b', outcome: 'answered' }]);
  const [name = ''] = segmentNames(folder);
  const dead = { ...thisWriter('w', '2026-11-22T10:00:00.000Z'), start: '1' };
  appendFileSync(
    join(folder, name),
    `\n${JSON.stringify(dead)}\n${JSON.stringify({ ...BEGUN, project: 'shop' })}\n`,
  );
  expect(await next()).toMatchObject([{ id: 'x', outcome: 'interrupted' }]);
  ended.abort();
  expect((await following.next()).done).toBe(true);
});

test('followed from a time on, a journal forgets what ended before, whatever is added to it later', async () => {
  const { folder, clock, open, pass } = place();
  const ended = new AbortController();
  await using journal = open();
  const begin = (kind: ItemStart['kind'], id: string) => journal.begin(asked(kind, { id }));
  const day = async () => {
    await journal.records();
    pass(86_400_000);
  };
  begin('notification', 'over').end('delivered');
  const news = begin('call', 'news');
  news.end('ok');
  const [open1, open2] = ['open', 'ends later'].map((id) => begin('question', id));
  await journal.records();
  // As of another process, whose first line comes after the end of the call.
  appendFileSync(join(folder, '2026-11-22.000002.jsonl'), '', { mode: 0o600 });
  pass(LOOK_MS);
  begin('news', 'news');
  await day();
  begin('call', 'yesterday').end('ok');
  open2?.end('answered');
  await day();
  await day();
  begin('notification', 'over').seen('page');
  begin('call', 'now').end('ok');
  await journal.records();
  const since = () => new Date(clock.now().getTime() - 2.5 * 86_400_000);
  const following = followJournal(folder, {}, ended.signal, clock, since);
  const next = async () => ((await following.next()).value ?? []).map(({ id }: JournalRecord) => id);
  expect(await next()).toEqual(['news', 'open', 'ends later', 'yesterday', 'now']);
  open1?.end('answered');
  begin('notification', 'over').end('delivered');
  pass(10);
  expect(await next()).toEqual(['open']);
  ended.abort();
});

test('what is forgotten stays so until no segment is about it', () => {
  const fold = new Fold();
  const add = (line: Partial<ItemLine>, segment: string) =>
    fold.add(JSON.stringify({ ...BEGUN, ...line }), segment);
  add({ ended: '2026-11-22T10:00:00.000Z', outcome: 'answered' }, '1');
  fold.forgetEnded(new Date(START), '2', new Set());
  expect(fold.record('x', new Date(START))?.outcome).toBe('answered');
  fold.forgetEnded(new Date(START + 1), '1', new Set());
  expect(fold.record('x', new Date(START))?.outcome).toBe('answered');
  fold.forgetEnded(new Date(START + 1), '2', new Set());
  expect(add({}, '2')).toBeUndefined();
  fold.forget('1');
  expect(add({}, '2')).toBeUndefined();
  fold.forget('2');
  expect(add({}, '3')).toBe('x');
});
