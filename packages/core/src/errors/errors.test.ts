import { expect, test } from 'vitest';
import { UserError } from './index.ts';

test.each([
  [{ error: 'No such note.', code: 'NOT_FOUND', hint: 'List the notes.' }, 'No such note. List the notes.'],
  [{ error: 'Invalid date', code: 'INVALID_DATE', hint: 'Pass a day' }, 'Invalid date. Pass a day.'],
  [{ error: 'Unknown field "x"', code: 'INVALID_ARGUMENT', hint: 'Why?' }, 'Unknown field "x". Why?'],
  [{ exactly: 'Note is locked', next: 'Ask its owner.' }, 'Note is locked. Ask its owner.'],
  [{ exactly: { error: 'Task not found', task_id: 3 } }, 'Task not found.'],
  [{ exactly: { reason: 'gone' }, next: 'List them.' }, '{"reason":"gone"}. List them.'],
])('the UserError %j is for people: %s', (failure, sentence) => {
  expect(new UserError(failure).sentence()).toBe(sentence);
});
