import { expect, test } from 'vitest';
import { messageOf, remedyOf, UserError } from './index.ts';

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

test.each([
  ['ENOSPC', 'write', 'the disk is full', 'Free some space'],
  ['ENOSPC', 'watch', 'too many files are watched', 'Raise the limit of watched files'],
  ['EACCES', 'open', 'this user may not use it', 'Change its permissions'],
  ['EROFS', 'open', 'the file system is read-only', 'Choose another folder'],
  // A read-only file system, too: so Node.js reports it for a folder in a folder.
  ['ENOENT', 'mkdir', 'the folder cannot be created', 'Choose another folder'],
  ['EEXIST', 'mkdir', 'a file has the name of this folder', 'Move that file away'],
  ['ELOOP', 'open', 'its links lead in a circle', 'Correct the links'],
  ['ENOTDIR', 'open', 'a part of its path is a file', 'Move that file away'],
  ['EISDIR', 'read', 'it is a folder', 'Move it away'],
  ['EMFILE', 'open', 'too many files are open', 'Raise the limit of open files'],
])('the error %s of the system is in words, with the path: %s', (code, syscall, words, remedy) => {
  const error = Object.assign(new Error(`${code}: raw, ${syscall}`), { code, syscall });
  expect(messageOf(error)).toBe(`${words} (${code})`);
  expect(messageOf(Object.assign(error, { path: '/home/ada/x' }))).toBe(`/home/ada/x: ${words} (${code})`);
  expect(remedyOf(error)).toBe(remedy);
});

test('an error that is not of the system keeps its message', () => {
  const error = Object.assign(new Error('EACCES of my own'), { code: 'EACCES' });
  expect([messageOf(error), remedyOf(error)]).toStrictEqual(['EACCES of my own', undefined]);
  expect(messageOf(Object.assign(new Error('raw'), { code: 'ENOENT', syscall: 'open' }))).toBe('raw');
});

test('an error at several addresses has the words of each', () => {
  const refused = ['127.0.0.1', '::1'].map((address) => new Error(`connect ECONNREFUSED ${address}`));
  expect(messageOf(new AggregateError(refused))).toBe(
    'connect ECONNREFUSED 127.0.0.1, connect ECONNREFUSED ::1',
  );
});
