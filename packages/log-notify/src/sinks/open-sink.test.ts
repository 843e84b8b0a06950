import { expect, test } from 'vitest';
import { standardError } from '../platform/this-process.ts';
import { openSink } from './open-sink.ts';

test('however often stderr is opened, it is listened to once', () => {
  const stream = standardError();
  const listeners = stream.listenerCount('error');
  for (let times = 0; times < 3; times += 1) openSink({ kind: 'stderr' });
  expect(listeners).toBeGreaterThan(0);
  expect(stream.listenerCount('error')).toBe(listeners);
});
