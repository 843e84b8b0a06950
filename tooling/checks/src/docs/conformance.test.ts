import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { root } from '../workspace.ts';

/** Stands for any text in a title of the page; at its end, for the rest of the title. */
const ANY = '…';

interface Requirement {
  readonly server: string;
  readonly text: string;
  /** Each with the file that it names. */
  readonly tests: readonly { readonly file: string; readonly title: string }[];
  readonly kept: string;
}

const page = readFileSync(join(root, 'docs/conformance.md'), 'utf8');
const [introduction = '', ...sections] = page.split(/^## /m);
const requirements = sections.flatMap((section) =>
  section.split('\n').flatMap((line): Requirement[] => {
    const [, text, tests = '', kept] = line.split('|').map((cell) => cell.trim());
    if (text === undefined || kept === undefined || /^(?:Requirement|---|\*\*.+\*\*)$/.test(text)) return [];
    const named = tests === '–' ? [] : tests.split('<br>');
    return [{ server: section.slice(0, section.indexOf('\n')), text, tests: named.map(testOf), kept }];
  }),
);

function testOf(cell: string) {
  const [, file = '', title = ''] = /^`([^`]+)` (.+)$/.exec(cell) ?? [];
  return { file, title: title.trim() };
}

/** Matches a text in which `ANY` stands for any text. */
function patternOf(text: string): RegExp {
  const parts = text.split(ANY).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('(.+?)')}$`, 's');
}

/** Of `test.each`: `%j`, `$name`. */
const PLACEHOLDER = /%[sdifjoO#]|\$[a-zA-Z0-9.]+/g;

/** The titles of tests in a file, with `ANY` for their placeholders. */
function titlesIn(text: string): readonly string[] {
  const titles: string[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      let called = callee;
      while (called.type === 'CallExpression' || called.type === 'MemberExpression')
        called = called.type === 'CallExpression' ? called.callee : called.object;
      if (called.type !== 'Identifier' || called.name !== 'test') return;
      if (title?.type === 'TemplateLiteral')
        titles.push(title.quasis.map(({ value }) => value.cooked ?? '').join(ANY));
      else if (title?.type === 'Literal' && typeof title.value === 'string') titles.push(title.value);
    },
  }).visit(parseSync('file.tsx', text).program);
  return titles.map((title) => title.replaceAll(PLACEHOLDER, ANY));
}

interface TestFile {
  readonly text: string;
  readonly titles: readonly string[];
}

const read = new Map<string, TestFile | undefined>();

/** @param file as the page names it; undefined if it does not exist */
function testFile(server: string, file: string): TestFile | undefined {
  const [name = '', path = ''] = file.includes(':') ? file.split(':') : [server, file];
  const base = join(root, 'packages', name, 'src', path);
  if (!read.has(base)) {
    const found = ['.test.ts', '.test.tsx', '.ts'].map((end) => base + end).find((each) => existsSync(each));
    const text = found === undefined ? undefined : readFileSync(found, 'utf8');
    read.set(base, text === undefined ? undefined : { text, titles: titlesIn(text) });
  }
  return read.get(base);
}

/**
 * Whether a title of the page, or the beginning of one, names a test of the file. What the page says for a placeholder is a
 * value of a table in the file.
 */
function hasTest({ text, titles }: TestFile, title: string): boolean {
  const isInFile = (value: string | undefined) =>
    value === undefined || value.split(ANY).every((part) => text.includes(part.trim()));
  const matches = (pattern: string, words: string) =>
    patternOf(pattern).exec(words)?.slice(1).every(isInFile) === true;
  if (titles.some((each) => matches(each, title))) return true;
  if (!title.endsWith(ANY)) return false;
  const words = title.slice(0, -ANY.length);
  const begins = (each: string) =>
    each.startsWith(words.slice(0, each.indexOf(ANY))) &&
    Array.from(each, (_, end) => each.slice(0, end)).some(
      (beginning) => !beginning.endsWith(ANY) && matches(beginning, words),
    );
  return titles.filter(begins).length === 1;
}

test('each test that the page names exists', () => {
  expect([requirements.length > 200, tables.length > 1]).toEqual([true, true]);
  const missing = requirements.flatMap(({ server, tests }) =>
    tests
      .filter(({ file }) => file !== 'row')
      .filter(({ file, title }) => {
        const found = testFile(server, file);
        return found === undefined || !hasTest(found, title);
      })
      .map(({ file, title }) => `${server}: ${file} ${title}`),
  );
  expect(missing).toEqual([]);
});

test('a requirement is kept as written, which a test proves, or the page has the reason', () => {
  const unclear = requirements.filter(
    ({ tests, kept }) => !/^(?:yes\b|no: .)/.test(kept) || (tests.length === 0 && kept.startsWith('yes')),
  );
  expect(unclear).toEqual([]);
});

interface Row {
  readonly says?: string;
  readonly args?: { readonly message?: unknown };
}

const tables = globSync('packages/*/src/testing/contract-rows.ts', { cwd: root });

describe.each(tables)('%s', (path) => {
  test('the page names each row, and no other', async () => {
    const { contractRows } = (await import(pathToFileURL(join(root, path)).href)) as {
      readonly contractRows: readonly Row[];
    };
    const rows = contractRows.map(({ says, args }) => (says ?? String(args?.message)).trim());
    const patterns = requirements
      .filter(({ server }) => path.startsWith(`packages/${server}/`))
      .flatMap(({ tests }) => tests.filter(({ file }) => file === 'row'))
      .map(({ title }) => patternOf(title));
    expect(rows.filter((row) => !patterns.some((pattern) => pattern.test(row)))).toEqual([]);
    expect(patterns.filter((pattern) => !rows.some((row) => pattern.test(row)))).toEqual([]);
  });
});

/** A line of the first table. */
function countsOf(name: string, of: readonly Requirement[]): string {
  const kept = of.filter((each) => each.kept.startsWith('yes')).length;
  return `| ${name} | ${of.length} | ${kept} | ${of.length - kept} |`;
}

test('the counts of the page are right', () => {
  const servers = [...Map.groupBy(requirements, ({ server }) => server)];
  expect(introduction.split('\n').filter((line) => /^\| (?:\[|all)/.test(line))).toEqual([
    ...servers.map(([server, of]) => countsOf(`[${server}](#${server})`, of)),
    countsOf('all', requirements),
  ]);
});
