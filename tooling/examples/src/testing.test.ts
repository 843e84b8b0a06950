import { connect, testContext } from '@deskside/core/testing';
import { expect, test } from 'vitest';
import { deleteFile } from './questions.ts';
import { libraryServer } from './tools.ts';

test.each(['legacy', 'modern'] as const)('get_book returns a book in the %s era', async (era) => {
  const books = new Map([[1, { title: 'Emma', year: 1815 }]]);
  await using peer = await connect(libraryServer(books), { era });
  const { structuredContent } = await peer.callTool('get_book', { id: 1 });
  expect(structuredContent).toEqual({ found: true, book: { id: 1, title: 'Emma', year: 1815 } });
});

test('delete_file deletes after a confirmation', async () => {
  const removed: string[] = [];
  const responses = { sure: { action: 'accept', content: { confirm: true } } };
  const deps = { remove: (name: string) => void removed.push(name) };
  await deleteFile.call({ name: 'old.txt' }, deps, testContext({ input: { responses } }));
  expect(removed).toEqual(['old.txt']);
});
