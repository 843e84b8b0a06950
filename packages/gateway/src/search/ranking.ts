import { isObject } from '@deskside/core/base';
import MiniSearch from 'minisearch';

/** What is known of a tool before it is called. */
export interface RankedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly properties?: unknown };
}

/** A text that describes more than one screen repeats itself, and would outweigh short ones. */
const MAX_DESCRIPTION_CHARACTERS = 2000;

/** Words that say nothing about a tool. */
const FILLERS = new Set(
  'a about all an and any are at by can do for from how i in into is it its me my of on one or our some that the their them there these this to use using we what when where which who with you your'.split(
    ' ',
  ),
);

const FIELDS = ['name', 'title', 'summary', 'description', 'parameters'] as const;

type Document = Readonly<Record<(typeof FIELDS)[number] | 'id', string>>;

/** Finds tools by words, in the order of their fit (BM25), with the beginnings of words and one wrong letter. */
export function ranking(tools: readonly RankedTool[]): (query: string, limit: number) => readonly string[] {
  const index = new MiniSearch<Document>({
    fields: [...FIELDS],
    tokenize: wordsOf,
    processTerm: (word) => (FILLERS.has(word) ? null : singular(word)),
    searchOptions: {
      boost: { name: 3, title: 2, summary: 2, parameters: 0.5 },
      prefix: (term) => term.length >= 3,
      fuzzy: (term) => (term.length >= 5 ? 1 : false),
      weights: { prefix: 0.3, fuzzy: 0.2 },
    },
  });
  index.addAll(tools.map(documentOf));
  return (query, limit) =>
    index
      .search(query)
      .slice(0, limit)
      .map(({ id }) => String(id));
}

function documentOf({ name, title = '', description = '', inputSchema }: RankedTool): Document {
  const text = description.slice(0, MAX_DESCRIPTION_CHARACTERS);
  const [summary = ''] = /^.*?[.!?\n](?=\s|$)|^.*$/s.exec(text.trim()) ?? [];
  const parameters = isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  return { id: name, name, title, summary, description: text, parameters: parameters.join(' ') };
}

/** `listRecords`, `list_records` and `list-records` have the same words. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
