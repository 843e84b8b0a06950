import { type Content, defineServer, reply, type Reply, textBlock, toolDefiner } from '@deskside/core';
import { z } from 'zod';

/** What the tools use. The caller opens and closes it. */
export interface Library {
  readonly books: Map<number, { title: string; year: number }>;
}

const defineTool = toolDefiner<Library>();
const book = z.object({ id: z.int(), title: z.string(), year: z.int() });
type Books = z.input<typeof book>[];
const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** An `output` object: the answer is sent as JSON text and as `structuredContent`. */
const getBook = defineTool({
  name: 'get_book',
  title: 'Get a book',
  // A function, because the other tool has a prefix if this server is mounted in another one.
  description: (toolName) => `Returns one book. Find ids with ${toolName('list_books')}.`,
  annotations: reads,
  input: z.object({ id: z.int().min(1).describe('Id of the book, for example 1.') }),
  output: z.object({ found: z.boolean(), book: book.optional() }),
  run({ id }, { books }) {
    const entry = books.get(id);
    return entry === undefined ? { found: false } : { found: true, book: { id, ...entry } };
  },
});

/** An `output` array: the answer is sent as JSON text. `reply` adds blocks and `_meta`. */
const listBooks = defineTool({
  name: 'list_books',
  title: 'List books',
  description: 'Returns the first books by id.',
  annotations: reads,
  input: z.object({ limit: z.int().min(1).default(10).describe('Maximum number of books, for example 10.') }),
  output: z.array(book),
  run({ limit }, { books }): Books | Reply<Books> {
    const all = [...books].map(([id, { title, year }]) => ({ id, title, year }));
    const rest = all.length - limit;
    if (rest <= 0) return all;
    return reply(all.slice(0, limit), {
      more: [textBlock(`${rest} more books follow.`)],
      meta: { 'example.org/remaining': rest },
    });
  },
});

/** No `output`: the answer is a text, or content blocks. */
const showCover = defineTool({
  name: 'show_cover',
  title: 'Show a cover',
  description: 'Returns the cover of a book as an SVG image.',
  annotations: reads,
  input: z.object({ id: z.int().min(1).describe('Id of the book, for example 1.') }),
  run({ id }, { books }): Content {
    const title = books.get(id)?.title;
    if (title === undefined) return 'No book has this id.';
    const data = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><text>${title}</text></svg>`);
    return [{ type: 'image', mimeType: 'image/svg+xml', data: data.toString('base64') }, textBlock(title)];
  },
});

export function libraryServer(library: Library) {
  return defineServer({
    name: 'library',
    title: 'Library',
    version: '1.0.0',
    instructions: (toolName) => `Start with ${toolName('list_books')}.`,
    deps: library,
    tools: [getBook, listBooks, showCover],
  });
}
