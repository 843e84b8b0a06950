import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { stringsIn } from '../repository/sources.ts';
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

/** Matches a character, or in the place of `ANY` what `any` matches. */
const patternOf = (any: string) => (character: string) =>
  character === ANY ? any : character.replace(/[.*+?^${}()|[\]\\]/, String.raw`\$&`);

/** Of `test.each`: `%j`, `$name`. */
const PLACEHOLDER = /%[sdifjoO#]|\$[a-zA-Z0-9.]+/g;

/** Matches the beginning of a title, with words for its placeholders. */
function beginningOf(title: string): RegExp {
  const characters = Array.from(title.replaceAll(PLACEHOLDER, ANY), patternOf(String.raw`\S+`));
  return new RegExp(`^${characters.reduceRight((rest, each) => `${each}(?:${rest})?`)}$`);
}

const read = new Map<string, readonly RegExp[]>();

/** @param file as the page names it */
function hasTest(server: string, file: string, title: string): boolean {
  const [name = '', path = ''] = file.includes(':') ? file.split(':') : [server, file];
  const files = ['.test.ts', '.test.tsx', '.ts'].map((end) => `packages/${name}/src/${path}${end}`);
  const found = files.find((each) => existsSync(join(root, each))) ?? '';
  if (found !== '' && !read.has(found)) read.set(found, stringsIn(found).map(beginningOf));
  return read.get(found)?.some((beginning) => beginning.test(title.replace(/…$/, ''))) === true;
}

test('each test that the page names exists', () => {
  expect([requirements.length > 200, tables.length > 1]).toEqual([true, true]);
  const missing = requirements.flatMap(({ server, tests }) =>
    tests
      .filter(({ file, title }) => file !== 'row' && !hasTest(server, file, title))
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
      .map(({ title }) => new RegExp(`^${Array.from(title, patternOf('.+')).join('')}$`, 's'));
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
