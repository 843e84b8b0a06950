import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { fixedClock, temporaryFolder } from '@deskside/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { Deliveries, type NewDelivery } from './deliveries.ts';
import { DeskDatabase } from './desk-database.ts';

const ROW: NewDelivery = {
  id: 'x',
  sink: 'file',
  origin: null,
  after: null,
  state: 'queued',
  rank: 0,
  time: 0,
  due: 0,
  attempts: 0,
  text: '{}',
};

test('what is in hand when its place is taken over is the same row afterwards', async () => {
  const opened = temporaryFolder();
  onTestFinished(() => opened[Symbol.dispose]());
  const clock = fixedClock('2026-11-22T10:00:00Z');
  const state = join(opened.path, 'state');
  const places = { state, runtime: [join(opened.path, 'runtime')] };
  const open = () => {
    const database = new DeskDatabase({ places, log: silentLog, clock });
    onTestFinished(() => database[Symbol.asyncDispose]());
    return { database, deliveries: new Deliveries(database, clock) };
  };
  const first = open();
  first.deliveries.replace([], [{ ...ROW, id: 'of another program' }]);
  await first.deliveries.stored();
  chmodSync(state, 0o755);
  clock.advance(1);
  const early = open();
  early.deliveries.replace([], [{ ...ROW, id: 'in hand' }]);
  await early.deliveries.stored();
  const [row] = early.deliveries.find('TRUE') ?? [];
  chmodSync(state, 0o700);
  const late = open();
  const all = () =>
    late.database.read((connection) =>
      connection.statement('SELECT id FROM deliveries ORDER BY number').all(),
    );
  expect(await all()).toMatchObject([{ id: 'of another program' }, { id: 'in hand' }]);
  early.deliveries.replace([row?.number ?? 0]);
  await early.deliveries.stored();
  expect(await all()).toMatchObject([{ id: 'of another program' }]);
});
