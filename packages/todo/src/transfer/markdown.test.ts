import { IS_PROOF, randomOf, SEED } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { description as descriptionField, read, title as titleField } from '../validation/fields.ts';
import { fromMarkdown, toMarkdown } from './markdown.ts';

const LISTS = IS_PROOF ? 20_000 : 500;

/** What a checklist, an indentation or an entity consists of. */
const PIECES = [
  '- [ ] |- [x] |* |1. [ ] |\n|\n\n|\r|\r\n|\t| |  |    |# |word|x|`|\\',
  '(due 2026-12-01)| (due 2026-12-01)|(due | (every week)| (due 2026-12-01, every 2 months)|, every day)| (every |&#10;|&#13;|&#40;|&amp;|&|#40;|;|\u2028|\u00A0|😀',
].flatMap((pieces) => pieces.split('|'));

test(`${LISTS} random lists are the same after an export and an import as Markdown`, () => {
  const below = randomOf(SEED);
  const text = (pieces: number) =>
    Array.from({ length: below(pieces) }, () => PIECES[below(PIECES.length)] ?? '').join('');
  for (let made = 0; made < LISTS; made += 1) {
    const tasks = Array.from({ length: 1 + below(4) }, (_, index) => ({
      id: index + 1,
      title: read(titleField, `t${text(8)}`),
      description: read(descriptionField, text(12)) ?? null,
      completed: below(2) === 0,
      createdAt: '2025-12-20T10:30:00Z',
      dueDate: below(2) === 0 ? null : '2026-11-30',
      project: null,
      priority: null,
      after: [],
      every: below(2) === 0 ? null : (['week', '2 weeks', 'month on 31'][below(3)] ?? null),
      nextId: null,
    }));
    const imported = fromMarkdown(toMarkdown(tasks)).tasks.map((item) => ({
      title: read(titleField, item.title),
      description: read(descriptionField, item.description) ?? null,
      completed: item.completed,
      dueDate: item.due_date,
      every: item.every,
    }));
    expect(tasks).toMatchObject(imported);
  }
});

test('a checklist that a person wrote is read with numbered items and nested lines', () => {
  const { tasks, leftOut } = fromMarkdown(
    '# Trip\n1. [ ] four\n2) [x] five\n    - [ ] below\n      code\n\n- [ ] six\nno task\n  - [ ] seven\n',
  );
  expect(tasks).toMatchObject([
    { title: 'four', completed: false, description: '' },
    { title: 'five', completed: true, description: '- [ ] below\n  code\n\n' },
    { title: 'six', description: '' },
    { title: 'seven', description: '\n' },
  ]);
  expect(leftOut).toStrictEqual([1, 8]);
});

test('usual forms of checklists are read, and what is no task is named by its line', () => {
  const text =
    '-   [ ] blanks\n> - [x] quoted\n- [/] begun\n- [-] given up\n- plain\n- [?] unknown\n> > * [X] twice';
  const { tasks, leftOut } = fromMarkdown(text);
  expect(tasks.map(({ title, completed }) => [title, completed])).toStrictEqual([
    ['blanks', false],
    ['quoted', true],
    ['begun', false],
    ['given up', true],
    ['twice', true],
  ]);
  expect(leftOut).toStrictEqual([5, 6]);
});

test('blanks at the end of an item do not hide when it is due', () => {
  expect(fromMarkdown('- [ ] Pay rent (due 2026-11-30, every month)  \n').tasks).toMatchObject([
    { title: 'Pay rent', due_date: '2026-11-30', every: 'month' },
  ]);
});
