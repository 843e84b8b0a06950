import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { replaceSections, type Sections, tableRow } from '@deskside/checks/src/docs/sections.ts';
import type { Benchmark, Ratio, Result, Results } from './benchmark.ts';

export const PAGE = resolve(import.meta.dirname, '../../../docs/benchmarks.md');
export const RESULTS = resolve(import.meta.dirname, '../results.json');

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

/** The numbers that come first, the table of all ratios, and per benchmark how it was measured. */
export function sectionsOf(benchmarks: readonly Texts[], results: Results): Sections {
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
  const table = [...head, ...rows].map(tableRow).join('\n');
  const machines = new Set(measured.map(({ result }) => result.machine));
  const [machine = ''] = machines;
  const sections = measured.map(({ benchmark: { name, title, method }, result }) =>
    [`## ${title}`, method, `\`pnpm bench ${name}\`${machines.size === 1 ? '' : `: ${result.machine}`}`].join(
      '\n\n',
    ),
  );
  const felt = FELT.flatMap((each) => feltText(each, results[each[0]]));
  const machineLine = machines.size === 1 ? `Measured with ${machine}.` : '';
  return {
    felt: () => [felt.join('\n'), machineLine].join('\n\n'),
    ratios: () => table,
    methods: () => sections.join('\n\n'),
  };
}

export function pageOf(page: string, benchmarks: readonly Texts[], results: Results): string {
  return replaceSections(page, sectionsOf(benchmarks, results));
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
