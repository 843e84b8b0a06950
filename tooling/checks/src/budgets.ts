import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, command, resultOf } from './check.ts';
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
const ALLOWED_LONG_LINES = 1197;

/** Written by a program. */
const GENERATED: ReadonlySet<string> = new Set(['packages/desktop/src/database/migrations.ts']);

const isProduct = (path: string) =>
  /^(?:packages|apps)\//.test(path) && !TESTS.test(path) && !GENERATED.has(path);
const within =
  (...folders: readonly string[]) =>
  (path: string) =>
    isProduct(path) && folders.some((folder) => path.startsWith(`${folder}/`));

const budgets: readonly Budget[] = [
  { name: 'core', counts: within('packages/core'), allowed: 9286, ceiling: 9300 },
  { name: 'desktop', counts: within('packages/desktop'), allowed: 4173, ceiling: 3000 },
  { name: 'todo', counts: within('packages/todo'), allowed: 6102, ceiling: 5900 },
  { name: 'manictime', counts: within('packages/manictime'), allowed: 10_384, ceiling: 9200 },
  { name: 'notify-popup', counts: within('packages/notify-popup'), allowed: 8889, ceiling: 7900 },
  { name: 'log-notify', counts: within('packages/log-notify'), allowed: 6666, ceiling: 6000 },
  {
    name: 'toaster and ui-toast',
    counts: within('packages/toaster/src', 'packages/ui-toast/src'),
    allowed: 3895,
    ceiling: 3900,
  },
  { name: 'gateway', counts: within('packages/gateway'), allowed: 9983, ceiling: 10_000 },
  { name: 'connect', counts: within('packages/connect'), allowed: 1898, ceiling: 1900 },
  { name: 'page', counts: within('apps/page'), allowed: 3185, ceiling: 3200 },
  { name: 'look', counts: within('packages/look'), allowed: 1319, ceiling: 1300 },
  { name: 'aggregator', counts: within('apps/aggregator'), allowed: 5757, ceiling: 3500 },
  { name: 'tooling', counts: (path) => path.startsWith('tooling/'), allowed: 8105, ceiling: 7500 },
  {
    name: 'tests',
    counts: (path) => !path.startsWith('tooling/') && TESTS.test(path),
    allowed: 64_000,
    ceiling: 64_000,
  },
  { name: 'all products', counts: isProduct, allowed: 72_475, ceiling: 65_100 },
];

function row(name: string, ...cells: readonly (number | string)[]): string {
  return [name.padEnd(22), ...cells.map((cell) => cell.toLocaleString('en-US').padStart(8))].join(' ');
}

/** Prints a table, and fails with a sentence for each budget that is exceeded. */
export const budgetCheck: Check = {
  name: 'budgets',
  async run() {
    const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
    const { failed, stdout } = await command('git', args);
    if (failed)
      return [{ name: 'budgets', status: 'skipped', detail: 'git does not list the files of this folder.' }];
    const files = stdout.split('\n').filter((file) => CODE.test(file) && existsSync(join(root, file)));
    const texts = files.map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n') }));
    // After the last line feed comes no line.
    const linesIn = (counts: Budget['counts']) =>
      texts.flatMap(({ file, lines }) => (counts(file) ? lines.slice(0, -1) : []));
    const now = budgets.map(({ name, counts, allowed, ceiling }) => {
      return { name, lines: linesIn(counts).length, allowed, ceiling };
    });
    const longLines = linesIn(isProduct).filter(({ length }) => length > MAX_COLUMNS).length;
    console.log(
      [
        row('Lines', 'now', 'allowed', 'ceiling'),
        ...now.map(({ name, lines, allowed, ceiling }) => row(name, lines, allowed, ceiling)),
        row(`longer than ${MAX_COLUMNS}`, longLines, ALLOWED_LONG_LINES, ALLOWED_LONG_LINES),
      ].join('\n'),
    );
    const excess = now
      .filter(({ lines, allowed }) => lines > allowed)
      .map(({ name, lines, allowed }) => `${name} has ${lines} lines. Its budget is ${allowed}.`);
    if (longLines > ALLOWED_LONG_LINES)
      excess.push(
        `${longLines} lines of products are longer than ${MAX_COLUMNS}. ${ALLOWED_LONG_LINES} may be.`,
      );
    return [resultOf('budgets', excess)];
  },
};
