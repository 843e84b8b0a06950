import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Benchmark, Ratio, Result, Results } from './benchmark.ts';

export const PAGE = resolve(import.meta.dirname, '../../../docs/benchmarks.md');
export const RESULTS = resolve(import.meta.dirname, '../results.json');

const INTRODUCTION = `# Benchmarks

What a person feels, on the machine below:`;

const RATIOS = `Absolute numbers depend on the machine, so targets are ratios of minima in one run, or of medians where the row says so: 0.5 means
half. With two numbers behind it, a ratio is the median of the ratios of all rounds, and the middle half of them lies between the two. [results.json](../tooling/bench/results.json) has all numbers. \`pnpm build && pnpm bench [NAME]\` measures again and writes
this page; each benchmark has the day of its last run.`;

/** Targets without a benchmark, so that no one takes the table for all of them. */
const OTHERS = `## Targets without a benchmark

- A test checks sizes: the toaster has at most 12 kB after gzip, its view 5 kB; installed, todo has at most 50 MB, log-notify and
  notify-popup 25, the aggregator 125. **Not met**: manictime has up to 81 instead of 80.
- A proof checks that 300 and 2,000 approvals of 20 kB, and 20 of 400 kB, hold the event loop for at most 100 ms of CPU time, and that the
  desk has at most 300 MB. Not measured: the wait of another agent's call (target: p99 100 ms).
- Not measured here: 500 notifications per second (20 ms), each kind of call of 50 clients of todo (3 times the others), a second month
  of ManicTime (10 ms).`;

/** Medians that come first on the page. */
const FELT: readonly (readonly [benchmark: string, number: string, unit: string, meaning: string])[] = [
  [
    'cold-start',
    'deskside stdio, wall time, ms',
    'ms',
    'until a client has the list of tools, while a desk runs',
  ],
  ['popup', 'popup, used profile, ms', 'ms', 'until a question can be read in a window'],
  ['attached', 'deskside stdio, memory, MB', 'MB', 'of memory for each further agent'],
];

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
  const rows = measured.flatMap(({ benchmark: { title: name, misses = {} }, result }) =>
    result.ratios.map((ratio, index) => [
      index === 0 ? `[${name}](#${anchor(name)}), ${result.measured}` : '',
      ratio.title,
      valueText(ratio),
      targetText(ratio.target),
      metText(ratio, misses),
    ]),
  );
  const head = [
    ['What', 'Ratio', 'Measured', 'Target', 'Met'],
    ['---', '---', '---:', '---:', '---'],
  ];
  const table = [...head, ...rows].map(rowText).join('\n');
  const machines = new Set(measured.map(({ result }) => result.machine));
  const [machine = ''] = machines;
  const sections = measured.map(({ benchmark: { name, title, method }, result }) =>
    [`## ${title}`, method, `\`pnpm bench ${name}\`${machines.size === 1 ? '' : `: ${result.machine}`}`].join(
      '\n\n',
    ),
  );
  const felt = FELT.flatMap((each) => feltText(each, results[each[0]]));
  const machineLine = machines.size === 1 ? [`Measured with ${machine}.`] : [];
  return `${[INTRODUCTION, felt.join('\n'), ...machineLine, RATIOS, table, ...sections, OTHERS].join('\n\n')}\n`;
}

function feltText([, number, unit, meaning]: (typeof FELT)[number], result: Result | undefined): string[] {
  const value = result?.numbers[number];
  if (value === undefined) return [];
  const shown = typeof value === 'number' ? value : value.median;
  return [`- **${Math.round(shown).toLocaleString('en-US')} ${unit}** ${meaning}`];
}

export function isMet({ value, target }: Ratio): boolean {
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

function metText(ratio: Ratio, misses: NonNullable<Benchmark['misses']>): string {
  return isMet(ratio) ? 'yes' : `**no**: ${misses[ratio.title] ?? 'the reason is not known'}`;
}

/** As GitHub makes the anchor of a heading. */
function anchor(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

function valueText({ value, middleHalf }: Ratio): string {
  const [lower, upper] = (middleHalf ?? []).map((each) => each.toFixed(2));
  return middleHalf === undefined ? value.toFixed(2) : `${value.toFixed(2)} (${lower} to ${upper})`;
}

function targetText(target: Ratio['target']): string {
  return 'atMost' in target ? `at most ${target.atMost}` : `at least ${target.atLeast}`;
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
