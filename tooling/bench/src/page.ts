import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Benchmark, Ratio, Results } from './benchmark.ts';

export const PAGE = resolve(import.meta.dirname, '../../../docs/benchmarks.md');
export const RESULTS = resolve(import.meta.dirname, '../results.json');

const INTRODUCTION = `# Benchmarks

Ratios of minima in one run: 0.5 means half. Absolute numbers depend on the machine: they are in
[results.json](../tooling/bench/results.json). \`pnpm build && pnpm bench [NAME]\` writes this page.`;

type Texts = Omit<Benchmark, 'run'>;

export function storedResults(): Results {
  return JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
}

export function resultsText(results: Results): string {
  return `${JSON.stringify(results, rounded, 2)}\n`;
}

/** To four digits: more only differ from run to run. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

/** The table of all ratios, and per benchmark how it was measured. Results of other benchmarks are left out. */
export function pageOf(benchmarks: readonly Texts[], results: Results): string {
  const measured = benchmarks.flatMap((benchmark) => {
    const result = results[benchmark.name];
    return result === undefined ? [] : [{ benchmark, result }];
  });
  const rows = measured.flatMap(({ benchmark, result }) =>
    result.ratios.map(({ title, value, target }, index) => [
      index === 0 ? `[${benchmark.title}](#${anchor(benchmark.title)}). ${benchmark.meaning}` : '',
      title,
      value.toFixed(2),
      targetText(target),
    ]),
  );
  const head = [
    ['What', 'Ratio', 'Measured', 'Target'],
    ['---', '---:', '---:', '---:'],
  ];
  const table = [...head, ...rows].map(rowText).join('\n');
  const machines = new Set(measured.map(({ result }) => result.machine));
  const [machine = ''] = machines;
  const sections = measured.map(({ benchmark: { name, title, method, caveats = [] }, result }) =>
    [
      `## ${title}`,
      method,
      ...(caveats.length === 0 ? [] : [caveats.map((caveat) => `- ${caveat}`).join('\n')]),
      `\`${name}\`: ${result.measured}${machines.size === 1 ? '' : `, ${result.machine}`}.`,
    ].join('\n\n'),
  );
  const introduction = machines.size === 1 ? `${INTRODUCTION}\n\nMeasured with ${machine}.` : INTRODUCTION;
  return `${[introduction, table, ...sections].join('\n\n')}\n`;
}

/** As GitHub makes the anchor of a heading. */
function anchor(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

function targetText(target: Ratio['target']): string {
  if (target === undefined) return '';
  return 'atMost' in target ? `at most ${target.atMost}` : `at least ${target.atLeast}`;
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
