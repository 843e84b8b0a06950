import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { DeskDatabase } from '@deskside/desktop';
import { fixedClock, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { sampleNotification } from '../testing/delivery.ts';
import { Deliveries } from './deliveries.ts';

async function add(deliveries: Deliveries, message: string): Promise<void> {
  deliveries.add(sampleNotification(message), { sink: 'file', origin: null, state: 'queued' });
  await deliveries.stored();
}

test('what is in hand when its place is taken over is the same row afterwards', async () => {
  const folder = temporaryFolder();
  const clock = fixedClock('2026-11-22T10:00:00Z');
  const state = join(folder, 'state');
  const places = { state, runtime: [join(folder, 'runtime')] };
  const open = () => {
    const database = new DeskDatabase({ places, log: silentLog, clock });
    onTestFinished(() => database[Symbol.asyncDispose]());
    return { database, deliveries: new Deliveries(database, clock, { id: '1', hasEnded: () => false }) };
  };
  await add(open().deliveries, 'of another program');
  chmodSync(state, 0o755);
  clock.advance(1);
  const early = open();
  await add(early.deliveries, 'in hand');
  const inHand = await early.deliveries.queued('file', 100, []);
  chmodSync(state, 0o700);
  const late = open();
  const all = async () =>
    (await late.deliveries.queued('file', 100, [])).map(({ notification }) => notification.message);
  expect(await all()).toStrictEqual(['of another program', 'in hand']);
  early.deliveries.delete(inHand);
  await early.deliveries.stored();
  expect(await all()).toStrictEqual(['of another program']);
});
