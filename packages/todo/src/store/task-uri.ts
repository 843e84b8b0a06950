/** The tasks of the reader that are due. */
export const TODAY_URI = 'todo://tasks/today';

/** One task of the reader. */
export const TASK_URI_TEMPLATE = 'todo://tasks/{id}';

export function taskUri(id: number): string {
  return TASK_URI_TEMPLATE.replace('{id}', String(id));
}
