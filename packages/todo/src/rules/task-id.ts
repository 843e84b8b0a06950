import { Refused } from './refused.ts';

/** Levels of nesting that are repeated in an answer; JSON can't be written however deep it is. */
const DEEPEST = 100;

/** The id as a number, for an integral number or its decimal string; nothing else can name a task. */
export function taskIdOf(value: unknown): number {
  const id = typeof value === 'string' ? Number(value) : value;
  if (typeof id === 'number' && Number.isSafeInteger(id) && String(id) === String(value)) return id;
  throw noSuchTask(isShallow(value, DEEPEST) ? (value ?? null) : null);
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

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}
