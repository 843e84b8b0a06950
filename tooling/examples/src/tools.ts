import { defineServer, reply, toolDefiner } from '@deskside/core';
import { z } from 'zod';

/** What the tools use. The caller opens and closes it. */
export type Books = ReadonlyMap<number, { readonly title: string; readonly year: number }>;

const defineTool = toolDefiner<Books>();
const book = z.object({ id: z.int(), title: z.string(), year: z.int() });
const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const getBook = defineTool({
  name: 'get_book',
  title: 'Get a book',
  // A function, because the other tool has a prefix if this server is mounted in another one.
  description: (toolName) => `Returns one book. Find ids with ${toolName('list_books')}.`,
  annotations: reads,
  input: z.object({ id: z.int().min(1).describe('Id of the book, for example 1.') }),
  output: z.object({ found: z.boolean(), book: book.optional() }),
  run({ id }, books) {
    const entry = books.get(id);
    return entry === undefined ? { found: false } : { found: true, book: { id, ...entry } };
  },
});

const listBooks = defineTool({
  name: 'list_books',
  title: 'List books',
  description: 'Returns the first books by id.',
  annotations: reads,
  input: z.object({ limit: z.int().min(1).default(10).describe('Maximum number of books, for example 10.') }),
  output: z.array(book),
  run({ limit }, books) {
    const all = [...books].map(([id, { title, year }]) => ({ id, title, year }));
    const rest = Math.max(0, all.length - limit);
    return reply(all.slice(0, limit), { meta: { 'example.org/remaining': rest } });
  },
});

export function libraryServer(books: Books) {
  return defineServer({
    name: 'library',
    version: '1.0.0',
    instructions: (toolName) => `Start with ${toolName('list_books')}.`,
    deps: books,
    tools: [getBook, listBooks],
  });
}
