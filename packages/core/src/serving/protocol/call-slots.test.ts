import { expect, test } from 'vitest';
import { CallSlots } from './call-slots.ts';

const open = new AbortController().signal;
/** Everything that can happen without a further event has happened. */
const soon = () => new Promise((resolve) => setImmediate(resolve));

/** Starts a call, and records when it may run. */
function start(slots: CallSlots, key: string, log: string[], name: string, signal = open) {
  const slot = Promise.resolve(slots.acquire(key, signal));
  slot.then(
    () => log.push(name),
    () => log.push(`${name} cancelled`),
  );
  return slot;
}

test('a call that is cancelled while it waits gives its turn to the next', async () => {
  const slots = new CallSlots(1);
  const log: string[] = [];
  const cancelling = new AbortController();
  const first = await start(slots, 'one', log, 'a');
  start(slots, 'one', log, 'b', cancelling.signal).catch(() => undefined);
  const third = start(slots, 'one', log, 'c');
  cancelling.abort();
  first.release();
  await soon();
  expect(log).toEqual(['a', 'b cancelled', 'c']);
  (await third).release();
});

test('a call that is cancelled while it waits for a person frees its place once', async () => {
  const slots = new CallSlots(1);
  const log: string[] = [];
  const cancelling = new AbortController();
  const asking = await start(slots, 'one', log, 'a', cancelling.signal);
  const answered = Promise.withResolvers<void>();
  const paused = asking.pause(() => answered.promise);
  cancelling.abort();
  const second = await start(slots, 'one', log, 'b');
  answered.resolve();
  await paused;
  asking.release();
  start(slots, 'one', log, 'c').catch(() => undefined);
  await soon();
  expect(log).toEqual(['a', 'b']);
  second.release();
  await soon();
  expect(log).toEqual(['a', 'b', 'c']);
});

test('a paused call does not count, and continues at once when its pause ends', async () => {
  const slots = new CallSlots(1);
  const log: string[] = [];
  const asking = await start(slots, 'one', log, 'a');
  const answered = Promise.withResolvers<void>();
  const paused = asking.pause(() => answered.promise);
  const second = await start(slots, 'one', log, 'b');
  start(slots, 'one', log, 'c').catch(() => undefined);
  answered.resolve();
  await paused;
  log.push('a continues');
  second.release();
  await soon();
  expect(log).toEqual(['a', 'b', 'a continues']);
  asking.release();
  await soon();
  expect(log).toEqual(['a', 'b', 'a continues', 'c']);
});

test('a call that begins after another one has ended counts the calls that still run', async () => {
  const slots = new CallSlots(1);
  const log: string[] = [];
  const first = await start(slots, 'one', log, 'a');
  const second = start(slots, 'one', log, 'b');
  first.release();
  await second;
  const third = start(slots, 'one', log, 'c');
  await soon();
  expect(log).toEqual(['a', 'b']);
  (await second).release();
  (await third).release();
});
