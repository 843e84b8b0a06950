import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import type { SinkTarget } from '../config/plan.ts';
import { MemorySink, manualClock } from '../testing/delivery.ts';
import { Dispatcher } from './dispatcher.ts';
import { Spool } from './spool/spool.ts';

const OFF = ['stderr', 'file', 'desktop'].map((sink) => `[${sink}]\nenabled = false\n`).join('');

function dispatcherWith(toml: string) {
  const folder = temporaryFolder();
  const config = join(folder, 'log-notify.toml');
  const configure = (text: string) => writeFileSync(config, `${OFF}${text}`);
  configure(toml);
  const clock = manualClock();
  const reports: string[] = [];
  const report = (sentence: string) => void reports.push(sentence);
  const sinks = new Map<string, MemorySink>();
  const open = (target: SinkTarget) => {
    const address = 'url' in target ? String(target.url) : target.kind;
    const sink = sinks.get(address) ?? new MemorySink();
    sinks.set(address, sink);
    return sink;
  };
  const owner = { id: 1, isRunning: () => true, files: new Set<string>() };
  const dispatcher = new Dispatcher({
    config,
    mustExist: true,
    overrides: { filter: undefined, file: undefined },
    defaultFile: '/nowhere',
    clock,
    spool: new Spool({ folder: join(folder, 'spool'), owner, report }),
    open,
    report,
  });
  const errors = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      void dispatcher.notify({ level: 'error', context: 'llm', message: `error ${index}` });
      await nextTurn();
    }
  };
  return { clock, dispatcher, configure, reports, sinks, errors };
}

const first = '[[webhook]]\nurl = "https://example.org/first"\n';
const second = '[[webhook]]\nurl = "https://example.org/second"\n';

const refuse = async () => {
  throw new Error('500');
};

const FIVE = Array.from({ length: 5 }, (_, index) => `error ${index}`);

test.each([
  ['a setting of the sink', `${first}exclude_contexts = ["performance"]\n`],
  ['quiet hours', `[quiet_hours]\nfrom = "01:00"\nto = "02:00"\n${first}`],
  ['another service before it', `${second}${first}`],
])('errors that wait survive a change of %s', async (_, changed) => {
  const { clock, dispatcher, configure, sinks, errors } = dispatcherWith(first);
  const sink = sinks.get('https://example.org/first');
  if (sink === undefined) throw new Error('not opened');
  sink.failure = refuse;
  await errors(5);
  configure(changed);
  dispatcher.reload();
  sink.failure = undefined;
  clock.advance(40_000);
  await dispatcher.settled();
  expect(sink.messages).toStrictEqual(FIVE);
});

test('a corrected URL gets what waited for the wrong one', async () => {
  const { clock, dispatcher, configure, sinks, errors } = dispatcherWith(first);
  const wrong = sinks.get('https://example.org/first');
  if (wrong !== undefined) wrong.failure = refuse;
  await errors(5);
  configure(second);
  dispatcher.reload();
  clock.advance(40_000);
  await dispatcher.settled();
  expect(sinks.get('https://example.org/second')?.messages).toStrictEqual(FIVE);
});

test('what waits for a sink that is removed is delivered, or reported as lost', async () => {
  const { clock, dispatcher, configure, reports, sinks, errors } = dispatcherWith(first);
  const sink = sinks.get('https://example.org/first');
  if (sink !== undefined) sink.failure = refuse;
  await errors(5);
  configure('');
  dispatcher.reload();
  for (let turn = 0; turn < 40; turn += 1) {
    clock.advance(100);
    await nextTurn();
    await nextTurn();
  }
  expect(reports).toContain(
    'webhook: 5 notifications were lost because its sink was removed from the configuration.',
  );
});

test('an unusable configuration is reported, and the one before it still applies', async () => {
  const { dispatcher, configure, reports, sinks } = dispatcherWith(first);
  configure('filter = [');
  dispatcher.reload();
  expect(reports.join('\n')).toMatch(/line \d+, column[\s\S]*The configuration before it still applies\.$/);
  expect(reports).not.toContain('The configuration was reloaded.');
  void dispatcher.notify({ level: 'info', context: 'llm', message: 'a' });
  await dispatcher.settled();
  expect(sinks.get('https://example.org/first')?.messages).toStrictEqual(['a']);
});
