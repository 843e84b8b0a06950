import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fixedClock, temporaryFolder } from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import type { SinkPlan } from '../config/plan.ts';
import { MemorySink, NO_LOCAL_SINKS } from '../testing/delivery.ts';
import { Machine, storageIn, type TestedProcess } from '../testing/storage.ts';
import { Undeliverable } from '../sinks/sink.ts';
import { Dispatcher } from './dispatcher.ts';

/** Servers on one machine, one after the other. Each kills the one before it. */
function machine() {
  const folder = temporaryFolder();
  const clock = fixedClock('2026-11-21T12:00:00Z');
  const reports: string[] = [];
  const report = (sentence: string) => void reports.push(sentence);
  const sinks = new Map<string, MemorySink>();
  const sinkAt = (address: string) => {
    const sink = sinks.get(address) ?? new MemorySink();
    sinks.set(address, sink);
    return sink;
  };
  /** The addresses whose sinks cannot be opened. */
  const broken = new Set<string>();
  const open = ({ definition, settings: { url } }: Pick<SinkPlan, 'definition' | 'settings'>) => {
    if (url instanceof URL && broken.has(url.href)) throw new Error('the template gotify needs token');
    return sinkAt(url instanceof URL ? url.href : definition.kind);
  };
  const processes = new Machine(clock);
  let running: TestedProcess | undefined;
  const seen = new Set<string>();
  const start = (toml: string, name = 'log-notify.toml', others = NO_LOCAL_SINKS) => {
    running?.kill();
    running = processes.start();
    const config = join(folder, name);
    const configure = (text: string) => writeFileSync(config, `${others}${text}`);
    configure(toml);
    const dispatcher = new Dispatcher({
      config,
      open,
      ...storageIn(folder, processes, running, report),
      isSeen: async (each) => seen.has(each),
    });
    /** Resolves when each sink has delivered them or failed. */
    const errors = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        void dispatcher.notify({ level: 'error', context: 'llm', message: `error ${index}` });
        await nextTurn();
      }
      await dispatcher.settled();
    };
    return { dispatcher, configure, errors };
  };
  return { broken, clock, folder, reports, seen, sinks, sinkAt, start };
}

function dispatcherWith(toml: string) {
  const { start, ...rest } = machine();
  return { ...rest, ...start(toml) };
}

const first = '[[webhook]]\nurl = "https://example.org/first"\n';
const second = '[[webhook]]\nurl = "https://example.org/second"\n';

const refuse = async () => {
  throw new Error('500');
};

const FIVE = Array.from({ length: 5 }, (_, index) => `error ${index}`);

const LOST = '5 notifications were lost: the sink was removed from the configuration.';

test.each([
  ['stay with their service if another one is listed before it', first, [`${second}${first}`], 'first'],
  ['go at once to the corrected URL', first, [second], 'second'],
  ['come when a mistake in their settings is corrected', first, [`${first}rate = 7\n`, first], 'first'],
  ['are reported as lost if their sink is removed', first, [''], undefined],
])('five errors that wait %s', async (_, toml, changes, place) => {
  const { clock, dispatcher, configure, errors, reports, sinkAt } = dispatcherWith(toml);
  const wrong = sinkAt('https://example.org/first');
  wrong.failure = refuse;
  await errors(5);
  for (const change of changes) {
    if (change === changes.at(-1) && place !== undefined) wrong.failure = undefined;
    configure(change);
    await reloaded(dispatcher, clock);
  }
  for (const each of ['first', 'second'])
    expect(sinkAt(`https://example.org/${each}`).messages).toStrictEqual(each === place ? FIVE : []);
  expect(reports.filter((each) => each.includes('lost'))).toStrictEqual(place === undefined ? [LOST] : []);
});

const named = second.replace('url', 'name = "team"\nurl');
const other = '[[webhook]]\nurl = "ftp://example.org"\n';

test.each([
  ['is for the corrected URL', first, [second], 'second'],
  ['is lost, and not for the sink that was listed after it', `${first}${second}`, [second], undefined],
  ['is lost, and not for a sink with another name', first, [named], undefined],
  ['is lost if no sink is left', first, [''], undefined],
  ['waits while the configuration is not valid', first, ['filter = [', first], 'first'],
  ['waits while its service is not valid', first, [other, first], 'first'],
  ['waits while its service cannot be opened', first, [first, first], 'first'],
])('what waits for a sink when a server is killed %s at the next start', async (_, before, after, place) => {
  const { broken, start, sinkAt, reports } = machine();
  const failing = sinkAt('https://example.org/first');
  failing.failure = refuse;
  await start(before).errors(5);
  sinkAt('https://example.org/second').delivered.length = 0;
  failing.failure = undefined;
  if (after[1] === after[0]) broken.add('https://example.org/first');
  for (const toml of after) {
    await start(toml).dispatcher.settled();
    broken.clear();
  }
  for (const each of ['first', 'second'])
    expect(sinkAt(`https://example.org/${each}`).messages).toStrictEqual(each === place ? FIVE : []);
  expect(reports.filter((each) => each.includes('lost'))).toStrictEqual(place === undefined ? [LOST] : []);
});

test('a server with another configuration leaves what waits to the next one', async () => {
  const { start, sinkAt, reports } = machine();
  sinkAt('https://example.org/first').failure = refuse;
  await start(first).errors(5);
  sinkAt('https://example.org/first').failure = undefined;
  await start(second, 'other.toml').dispatcher.settled();
  expect(sinkAt('https://example.org/second').messages).toStrictEqual([]);
  await start(first).dispatcher.settled();
  expect(sinkAt('https://example.org/first').messages).toStrictEqual(FIVE);
  expect(reports.join('\n')).not.toMatch(/lost/);
});

test('a loss that was not reported yet follows the correction of a URL', async () => {
  const { start, sinkAt } = machine();
  sinkAt('https://example.org/first').failure = async () => {
    throw new Undeliverable('404');
  };
  await start(first).errors(1);
  await start(second).dispatcher.settled();
  const notice = expect.stringMatching(/^1 notification was lost because 404/);
  expect(sinkAt('https://example.org/second').messages).toStrictEqual([notice]);
});

test('notifications that come together all learn the first outcome of their sink', async () => {
  const { dispatcher, sinkAt } = dispatcherWith(first);
  const slow = Promise.withResolvers<void>();
  sinkAt('https://example.org/first').failure = () => slow.promise;
  const receipts = ['a', 'b', 'c'].map((message) =>
    dispatcher.notify({ level: 'error', context: 'llm', message }),
  );
  await nextTurn();
  await nextTurn();
  slow.resolve();
  expect((await Promise.all(receipts)).map(({ delivered }) => delivered)).toStrictEqual([
    ['webhook'],
    ['webhook'],
    ['webhook'],
  ]);
});

test('a rule chooses the sinks of a notification, past their own level, and other notifications go as before', async () => {
  const toml = `${first}level = "error"\n${second}[[rule]]\nproject = "shop"\nto = ["webhook"]\n`;
  const { dispatcher, sinks } = dispatcherWith(toml);
  const notify = async (message: string, project: string) =>
    dispatcher.notify({ level: 'info', context: 'llm', message, project });
  const shop = await notify('from the shop', 'shop');
  await notify('from elsewhere', 'pay');
  await dispatcher.settled();
  expect(shop).toMatchObject({ delivered: ['webhook'], suppressed: { 'webhook 2': 'rule' } });
  expect([...sinks.values()].map(({ messages }) => messages)).toStrictEqual([
    ['from the shop'],
    ['from elsewhere'],
  ]);
});

const STEPS = Array.from({ length: 5 }, (_, index) => `step ${index}`);

test.each([
  ['within its limit, with no terminal and no follower', '', 'not followed', STEPS.slice(0, 3)],
  ['if the file is followed', '', undefined, []],
  ['if the person has chosen a level for the desktop', '[desktop]\nlevel = "warn"\n', 'not followed', []],
  ['if the person excludes its context', '[desktop]\nexclude_contexts = ["llm"]\n', 'not followed', []],
  ['if the filter excludes it', 'filter = "warn"\n', 'not followed', []],
] as const)('an info goes to the desktop %s: %j', async (_, toml, unseen, shown) => {
  const { start, sinkAt } = machine();
  Object.assign(sinkAt('file'), { unseen: () => unseen });
  Object.assign(sinkAt('stderr'), { unseen: () => 'not a terminal' });
  const { dispatcher } = start(toml, 'log-notify.toml', '');
  for (const message of STEPS) await dispatcher.notify({ level: 'info', context: 'llm', message });
  await dispatcher.settled();
  expect(sinkAt('file').messages).toStrictEqual(toml.startsWith('filter') ? [] : STEPS);
  expect(sinkAt('desktop').messages).toStrictEqual(shown);
});

const third = '[[webhook]]\nurl = "https://example.org/third"\n';
const escalated = `${first}${second}${third}[[rule]]\nto = ["webhook", "webhook 3", "webhook 2"]\nescalate = "5m"\n`;

/** What each of the three sinks has. */
function texts(sinks: ReadonlyMap<string, MemorySink>) {
  return ['first', 'second', 'third'].map((name) => sinks.get(`https://example.org/${name}`)?.messages);
}

const down = { level: 'error', context: 'llm', message: 'production down' } as const;

test('an error that is not seen for 5 minutes goes to the next sink of its rule, and to the next', async () => {
  const { clock, dispatcher, sinks } = dispatcherWith(escalated);
  const receipt = await dispatcher.notify(down);
  expect(receipt.suppressed).toStrictEqual({ 'webhook 2': 'unseen', 'webhook 3': 'unseen' });
  await dispatcher.settled();
  await passed(clock, 299_000, dispatcher);
  expect(texts(sinks)).toStrictEqual([[down.message], [], []]);
  await passed(clock, 1000, dispatcher);
  expect(texts(sinks)).toStrictEqual([[down.message], [], [down.message]]);
  await passed(clock, 300_000, dispatcher);
  expect(texts(sinks)).toStrictEqual([[down.message], [down.message], [down.message]]);
});

test('an error that was seen goes to no other sink, and a warning never', async () => {
  const { clock, dispatcher, sinks, sinkAt, seen } = dispatcherWith(escalated);
  await dispatcher.notify({ ...down, id: 'a' });
  await dispatcher.notify({ ...down, level: 'warn', message: 'careful' });
  await dispatcher.settled();
  seen.add(sinkAt('https://example.org/first').delivered[0]?.id ?? '');
  expect([...seen]).toStrictEqual(['a']);
  await passed(clock, 3_600_000, dispatcher);
  expect(texts(sinks)).toStrictEqual([[down.message, 'careful'], [], []]);
});

test('an error goes to the next sink at once if the first one fails', async () => {
  const { clock, dispatcher, sinks, sinkAt } = dispatcherWith(escalated);
  sinkAt('https://example.org/first').failure = refuse;
  for (const message of ['its own delivery fails', 'another one has failed']) {
    await dispatcher.notify({ ...down, message });
    await passed(clock, 0, dispatcher);
  }
  expect(texts(sinks)).toStrictEqual([[], [], ['its own delivery fails', 'another one has failed']]);
  // The third one has its time from then.
  await passed(clock, 300_000, dispatcher);
  expect(texts(sinks)[1]).toHaveLength(2);
});

/** Lets time pass, and waits for what is due then. */
async function passed(
  clock: { readonly advance: (ms: number) => void },
  ms: number,
  dispatcher: Dispatcher,
): Promise<void> {
  clock.advance(ms);
  await nextTurn();
  await dispatcher.settled();
}

/** Reads the configuration again, and lets the time pass in which queues close. */
async function reloaded(dispatcher: { reload(): void }, clock: { advance(ms: number): void }): Promise<void> {
  dispatcher.reload();
  for (let turn = 0; turn < 40; turn += 1) {
    clock.advance(100);
    await nextTurn();
    await nextTurn();
  }
}

test('a digest comes at its time, although no server runs for its whole period', async () => {
  const { clock, start, sinkAt } = machine();
  const sink = sinkAt('https://example.org/first');
  for (const message of ['a', 'b', 'c']) {
    const { dispatcher } = start(`${first}digest = "1h"\n`);
    await dispatcher.notify({ level: 'warn', context: 'llm', message });
    await dispatcher.settled();
    for (let minute = 0; minute < 25; minute += 1) await passed(clock, 60_000, dispatcher);
  }
  expect(sink.messages).toStrictEqual(['3 notifications were held back in 60 min (3 warn):\n- a\n- b\n- c']);
});

test('after a kill, an error goes to the third sink at its time', async () => {
  const { clock, sinks, start } = machine();
  const killed = start(escalated).dispatcher;
  await killed.notify(down);
  await passed(clock, 300_000, killed);
  await passed(clock, 60_000, killed);
  const { dispatcher } = start(escalated);
  await passed(clock, 0, dispatcher);
  expect(texts(sinks)).toStrictEqual([[down.message], [], [down.message]]);
  await passed(clock, 240_000, dispatcher);
  expect(texts(sinks)).toStrictEqual([[down.message], [down.message], [down.message]]);
  // As it was sent.
  expect(sinks.get('https://example.org/second')?.delivered[0]?.time).toBe(
    Date.parse('2026-11-21T12:00:00Z'),
  );
});

test('after a kill, an error goes on at once if its delivery to the first sink fails', async () => {
  const { clock, sinks, sinkAt, start } = machine();
  const failing = sinkAt('https://example.org/first');
  failing.failure = () => new Promise(() => undefined);
  void start(escalated).dispatcher.notify(down);
  await nextTurn();
  failing.failure = refuse;
  const { dispatcher } = start(escalated);
  await passed(clock, 0, dispatcher);
  expect(texts(sinks)).toStrictEqual([[], [], [down.message]]);
});

test('an answer waits 400 ms for the first outcome of a sink that hangs', async () => {
  const { clock, dispatcher, sinkAt } = dispatcherWith(first);
  sinkAt('https://example.org/first').failure = () => new Promise(() => undefined);
  const answered = vi.fn<() => void>();
  void dispatcher.notify(down).then(answered);
  await clock.advanceAsync(399);
  expect(answered).not.toHaveBeenCalled();
  await clock.advanceAsync(1);
  expect(answered).toHaveBeenCalledOnce();
});

test('an answer waits 400 ms for a sink to say whether a person sees it, and does not say so without it', async () => {
  const { clock, dispatcher, sinkAt } = dispatcherWith(first);
  await dispatcher.notify({ ...down, message: 'before' });
  await dispatcher.settled();
  Object.assign(sinkAt('https://example.org/first'), { look: () => new Promise(() => undefined) });
  const receipt = dispatcher.notify(down);
  await clock.advanceAsync(400);
  expect(await receipt).toMatchObject({ delivered: [], unseen: { webhook: 'not confirmed' } });
});

test('while another process holds the database, an answer waits for two seconds, and nothing is lost or doubled', async () => {
  const { clock, dispatcher, folder, sinkAt } = dispatcherWith(first);
  await dispatcher.notify({ ...down, message: 'before' });
  await dispatcher.settled();
  using other = new DatabaseSync(join(folder, 'state/desk.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  const answered = vi.fn<() => void>();
  void dispatcher.notify(down).then(answered);
  await clock.advanceAsync(1999);
  expect(answered).not.toHaveBeenCalled();
  await clock.advanceAsync(1);
  expect(answered).toHaveBeenCalledOnce();
  const { messages } = sinkAt('https://example.org/first');
  expect(messages).toStrictEqual(['before']);
  other.exec('ROLLBACK');
  await clock.advanceAsync(100);
  await dispatcher.settled();
  expect(sinkAt('https://example.org/first').messages).toStrictEqual(['before', down.message]);
});

test('a server that ends leaves nothing for its terminal', async () => {
  const { clock, folder, sinkAt, start } = machine();
  const { dispatcher } = start('', 'log-notify.toml', NO_LOCAL_SINKS.replace(/.*\n.*\n/, ''));
  sinkAt('stderr').failure = refuse;
  await dispatcher.notify(down);
  await dispatcher.settled();
  using other = new DatabaseSync(join(folder, 'state/desk.sqlite'));
  const rows = () => other.prepare('SELECT sink FROM deliveries').all();
  expect(rows()).toHaveLength(1);
  const closed = dispatcher.close();
  await clock.advanceAsync(4000);
  await closed;
  expect(rows()).toStrictEqual([]);
});

test('a server that ends and had no place for its database counts what is lost with its memory', async () => {
  const { clock, folder, reports, sinkAt, start } = machine();
  writeFileSync(join(folder, 'state'), 'a file in the place of the folder');
  sinkAt('https://example.org/first').failure = refuse;
  const { dispatcher, errors } = start(first);
  await errors(2);
  const closed = dispatcher.close();
  await clock.advanceAsync(4000);
  await closed;
  expect(reports.at(-1)).toBe('2 notifications were lost: the desk database cannot be written.');
});
