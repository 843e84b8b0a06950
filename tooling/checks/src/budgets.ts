import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, resultOf } from './check.ts';
import { root } from './workspace.ts';

export interface Budget {
  readonly name: string;
  /** The files that count: paths from the root. */
  readonly counts: (path: string) => boolean;
  /** More lines than this fail the check. Raising it changes docs/decisions/0069. */
  readonly allowed: number;
  /** The ceiling that applies when the package has been reworked. */
  readonly ceiling: number;
}

const CODE = /\.(?:tsx?|m?js|css|html|sql)$/;
const TESTS = /\.test\.|\/testing\/|^packages\/testkit\//;
/** Longer lines hide lines: there may not be more of them. */
const MAX_COLUMNS = 110;
const ALLOWED_LONG_LINES = 1203;

/** Written by a program. */
const GENERATED: ReadonlySet<string> = new Set(['packages/desktop/src/database/migrations.ts']);

const isProduct = (path: string) =>
  /^(?:packages|apps)\//.test(path) && !TESTS.test(path) && !GENERATED.has(path);
const within =
  (...folders: readonly string[]) =>
  (path: string) =>
    isProduct(path) && folders.some((folder) => path.startsWith(`${folder}/`));

const budgets: readonly Budget[] = [
  { name: 'core', counts: within('packages/core'), allowed: 9281, ceiling: 9300 },
  { name: 'desktop', counts: within('packages/desktop'), allowed: 4313, ceiling: 3000 },
  { name: 'todo', counts: within('packages/todo'), allowed: 6446, ceiling: 5900 },
  { name: 'manictime', counts: within('packages/manictime'), allowed: 10_772, ceiling: 9200 },
  { name: 'notify-popup', counts: within('packages/notify-popup'), allowed: 9205, ceiling: 7900 },
  { name: 'log-notify', counts: within('packages/log-notify'), allowed: 7037, ceiling: 6000 },
  {
    name: 'toaster and ui-toast',
    counts: within('packages/toaster/src', 'packages/ui-toast/src'),
    allowed: 3900,
    ceiling: 3900,
  },
  { name: 'gateway', counts: within('packages/gateway'), allowed: 9973, ceiling: 10_000 },
  { name: 'connect', counts: within('packages/connect'), allowed: 1898, ceiling: 1900 },
  { name: 'page', counts: within('apps/page'), allowed: 3208, ceiling: 3200 },
  { name: 'look', counts: within('packages/look'), allowed: 1319, ceiling: 1300 },
  { name: 'aggregator', counts: within('apps/aggregator'), allowed: 6003, ceiling: 3500 },
];

/** Reported, not enforced yet. */
const goals: readonly (readonly [name: string, counts: (path: string) => boolean, ceiling: number])[] = [
  ['all products', isProduct, 65_100],
  ['tooling', (path) => path.startsWith('tooling/'), 7500],
  ['tests', (path) => !path.startsWith('tooling/') && TESTS.test(path), 64_000],
];

/** Lines per package, and how many lines of products are longer than 110 characters. */
export interface Sizes {
  readonly linesOf: (counts: (path: string) => boolean) => number;
  readonly longLines: number;
}

/** @throws Error if git does not list the files: no clone, or a clone of another user */
function sizesOf(folder: string): Sizes {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const listed = execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const files = listed.split('\n').filter((file) => CODE.test(file) && existsSync(join(folder, file)));
  const texts = files.map((file) => ({ file, lines: readFileSync(join(folder, file), 'utf8').split('\n') }));
  const linesIn = (counts: (path: string) => boolean) =>
    // After the last line feed comes no line.
    texts.flatMap(({ file, lines }) => (counts(file) ? lines.slice(0, -1) : []));
  return {
    linesOf: (counts) => linesIn(counts).length,
    longLines: linesIn(isProduct).filter(({ length }) => length > MAX_COLUMNS).length,
  };
}

/** What exceeds its budget, one sentence each. */
function excess({ linesOf, longLines }: Sizes, of: readonly Budget[] = budgets): string[] {
  const found = of.flatMap(({ name, counts, allowed }) => {
    const lines = linesOf(counts);
    return lines > allowed ? [`${name} has ${lines} lines. Its budget is ${allowed}.`] : [];
  });
  return longLines > ALLOWED_LONG_LINES
    ? [
        ...found,
        `${longLines} lines of products have more than ${MAX_COLUMNS} characters. ${ALLOWED_LONG_LINES} may.`,
      ]
    : found;
}

function row(name: string, ...cells: readonly (number | string)[]): string {
  return [name.padEnd(22), ...cells.map((cell) => cell.toLocaleString('en-US').padStart(8))].join(' ');
}

/** The table that `npm test` prints. */
function budgetTable({ linesOf, longLines }: Sizes): string {
  return [
    row('Lines', 'now', 'allowed', 'ceiling'),
    ...budgets.map(({ name, counts, allowed, ceiling }) => row(name, linesOf(counts), allowed, ceiling)),
    ...goals.map(([name, counts, ceiling]) => row(name, linesOf(counts), '', ceiling)),
    row(`longer than ${MAX_COLUMNS}`, longLines, ALLOWED_LONG_LINES, ALLOWED_LONG_LINES),
  ].join('\n');
}

export const budgetCheck: Check = {
  name: 'budgets',
  async run() {
    let sizes: Sizes;
    try {
      sizes = sizesOf(root);
    } catch {
      return [{ name: 'budgets', status: 'skipped', detail: 'git does not list the files of this folder.' }];
    }
    console.log(budgetTable(sizes));
    return [resultOf('budgets', excess(sizes))];
  },
};
