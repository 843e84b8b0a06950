import { blocksOf } from '@deskside/core/errors';
import { expect, test } from 'vitest';
import { readTaskId, readTitle, taskNotFound } from './arguments.ts';
import { RejectedCall } from './rejected-call.ts';

test('readTaskId rejects a value too deep for JSON.stringify', () => {
  const nested: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
  for (const value of [nested, { id: nested }]) {
    expect(() => readTaskId(value)).toThrow(RejectedCall);
  }
});

test('taskNotFound names list_tasks as the client sees it', () => {
  expect(blocksOf(taskNotFound(7), (name) => `todo_${name}`)).toStrictEqual([
    '{"error":"Task not found","task_id":7}',
    'Call todo_list_tasks to see valid ids.',
  ]);
});

test('readTitle rejects a title of 15 MB without reading all of it', () => {
  const text = 'x'.repeat(15_000_000);
  const started = performance.now();
  for (let round = 0; round < 100; round += 1) expect(() => readTitle(text)).toThrow(RejectedCall);
  expect(performance.now() - started).toBeLessThan(1000);
});
