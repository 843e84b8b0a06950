import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  connect,
  connectTransport,
  firstText,
  fixedClock,
  serveInProcess,
  temporaryFolder,
  testContext,
} from '@deskside/core/testing';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { readNoteTool } from './errors.ts';
import { deleteFile } from './questions.ts';
import { libraryServer } from './tools.ts';

test.each(['legacy', 'modern'] as const)('get_book returns a book in the %s era', async (era) => {
  const books = new Map([[1, { title: 'Emma', year: 1815 }]]);
  await using peer = await connect(libraryServer({ books }), { era });
  const { structuredContent } = await peer.callTool('get_book', { id: 1 });
  expect(structuredContent).toEqual({ found: true, book: { id: 1, title: 'Emma', year: 1815 } });
});

test('read_note reads a file', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'note.md');
  writeFileSync(path, 'buy milk');
  const result = await readNoteTool.call({ path }, null, testContext());
  expect(result).toEqual({ content: [{ type: 'text', text: 'buy milk' }] });
});

test('delete_file asks, and deletes after a confirmation', async () => {
  const removed: string[] = [];
  const clock = fixedClock('2026-11-21T09:30:00Z');
  const deps = { now: clock.now, remove: (name: string) => void removed.push(name) };
  const first = testContext();
  await deleteFile.call({ name: 'old.txt' }, deps, first);
  expect(first.sent.sealed).toEqual([{ askedAt: '2026-11-21T09:30:00.000Z' }]);
  expect(removed).toEqual([]);

  const responses = { sure: { action: 'accept', content: { confirm: true } } };
  const second = testContext({ input: { responses, state: first.sent.sealed[0] } });
  await deleteFile.call({ name: 'old.txt' }, deps, second);
  expect(removed).toEqual(['old.txt']);
});

test('show_cover answers a text for an unknown id', async () => {
  await using peer = await connect(libraryServer({ books: new Map() }), { over: 'http', user: 'ada' });
  expect(firstText(await peer.callTool('show_cover', { id: 9 }))).toBe('No book has this id.');
});

test('the endpoint rejects a body that is not JSON, and accepts a client by its URL', async () => {
  await using server = await serveInProcess(libraryServer({ books: new Map() }), { over: 'http' });
  const url = new URL(server.url ?? '');
  expect((await fetch(url, { method: 'POST', body: 'text' })).status).toBe(415);
  await using peer = await connectTransport(new StreamableHTTPClientTransport(url));
  expect(peer.instructions).toBe('Start with list_books.');
});
