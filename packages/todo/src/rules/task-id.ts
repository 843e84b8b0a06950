import { Refused } from './refused.ts';

/** The id as a number, for an integral number or its decimal string; nothing else can name a task. */
export function taskIdOf(value: unknown): number {
  const id = typeof value === 'string' ? Number(value) : value;
  if (typeof id === 'number' && Number.isSafeInteger(id) && String(id) === String(value)) return id;
  throw noSuchTask(value ?? null);
}

/** @param given what the caller named it by, answered as it was given */
export function noSuchTask(given: unknown): Refused {
  return new Refused(
    'task_not_found',
    {
      exactly: { error: 'Task not found', task_id: given },
      next: 'List the tasks to see the ids there are.',
    },
    typeof given === 'number' ? given : undefined,
  );
}
