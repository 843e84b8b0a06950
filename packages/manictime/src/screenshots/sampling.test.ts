import { expect, test } from 'vitest';
import type { StoredShot } from './folder.ts';
import { referenceOf } from './reference.ts';
import { sample } from './sampling.ts';

function shot(minute: number, monitor = 0): StoredShot {
  const local = 1_736_928_000 + minute * 60;
  const named = { local, offset: 60, width: 800, height: 600, sequence: minute, monitor };
  return {
    ...named,
    instant: local - 3600,
    reference: referenceOf(named),
    fullFile: 'x',
    thumbnailFile: undefined,
  };
}

const shots = (count: number, monitors = 1) =>
  Array.from({ length: count * monitors }, (_, index) =>
    shot(Math.floor(index / monitors), index % monitors),
  );
const minutes = (picked: readonly StoredShot[]) => picked.map(({ sequence }) => sequence);

const at = (minute: number) => shot(minute).instant;

test('all come where all fit', () => {
  expect(minutes(sample(shots(5), 5, 'interval', []).shots)).toEqual([0, 1, 2, 3, 4]);
});

test('an interval spreads over all, the first and the last among them', () => {
  const { shots: picked, sampling } = sample(shots(100), 4, 'interval', []);
  expect(minutes(picked)).toEqual([0, 33, 66, 99]);
  expect(sampling).toBe('interval');
  expect(sample(shots(100), 1, 'interval', []).shots).toHaveLength(1);
});

test('transitions take the nearest shot within two minutes, each once, spread where there are many', () => {
  const few = sample(shots(100), 10, 'activity_transition', [
    at(3) + 10,
    at(3) + 20,
    at(50) - 20,
    at(99) + 200,
  ]);
  expect(few).toMatchObject({ sampling: 'activity_transition' });
  expect(minutes(few.shots)).toEqual([3, 50]);
  const many = sample(
    shots(100),
    5,
    'activity_transition',
    Array.from({ length: 100 }, (_, minute) => at(minute)),
  );
  expect(minutes(many.shots)).toEqual([0, 25, 50, 74, 99]);
});

test('without transitions the interval is used, and said to be', () => {
  expect(sample(shots(100), 5, 'activity_transition', []).sampling).toBe('interval');
});

test('the monitors of one moment stay together', () => {
  const { shots: picked } = sample(shots(50, 2), 6, 'interval', []);
  expect(picked.map(({ sequence, monitor }) => `${sequence}/${monitor}`)).toEqual([
    '0/0',
    '0/1',
    '25/0',
    '25/1',
    '49/0',
    '49/1',
  ]);
});
