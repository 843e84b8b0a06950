import type { Benchmark, BenchmarkReport, Ratio, Table } from './benchmark.ts';
import { arch, availableParallelism, platform } from 'node:os';

const INTRODUCTION = `# Benchmarks

Measured speed and size. Each section names its machine and day. Compare the ratios, not the absolute numbers.
\`pnpm build && pnpm bench\` writes this page; \`pnpm bench <name>\` measures only the named sections and does not change the
others.`;

/** Sections by the name of their benchmark. */
export type Sections = ReadonlyMap<string, string>;

export function sectionsOf(document: string): Sections {
  const marked = /<!-- benchmark (\S+) -->\n([\s\S]*?)\n<!-- \/benchmark -->/g;
  return new Map([...document.matchAll(marked)].map(([, name = '', text = '']) => [name, text]));
}

/** @param names of all benchmarks, in order; other sections are removed */
export function documentOf(names: readonly string[], sections: Sections): string {
  const marked = names.flatMap((name) => {
    const text = sections.get(name);
    return text === undefined ? [] : [`<!-- benchmark ${name} -->\n${text}\n<!-- /benchmark -->`];
  });
  return `${[INTRODUCTION, ...marked].join('\n\n')}\n`;
}

/** A report as Markdown, with its heading. @param measured where and when */
export function section(
  { name, title }: Pick<Benchmark, 'name' | 'title'>,
  { compared, method, tables, ratios, caveats = [] }: BenchmarkReport,
  measured: string,
): string {
  return [
    `## ${title}`,
    compared,
    `How: ${method}`,
    ...tables.map(tableText),
    ...(ratios.length === 0 ? [] : [tableText(ratioTable(ratios))]),
    ...(caveats.length === 0 ? [] : [caveats.map((caveat) => `- ${caveat}`).join('\n')]),
    `Measured ${measured}. To repeat: \`pnpm bench ${name}\`.`,
  ].join('\n\n');
}

function ratioTable(ratios: readonly Ratio[]): Table {
  return {
    columns: ['Ratio', 'Measured', 'Target'],
    rows: ratios.map(({ title, value, target }) => [title, value.toFixed(2), targetText(target)]),
  };
}

function targetText(target: Ratio['target']): string {
  if (target === undefined) return '';
  return 'atMost' in target ? `at most ${target.atMost}` : `at least ${target.atLeast}`;
}

function tableText({ caption, columns, rows }: Table): string {
  const alignment = columns.map((_, index) => (index === 0 ? '---' : '---:'));
  const table = [rowText(columns), rowText(alignment), ...rows.map(rowText)].join('\n');
  return caption === undefined ? table : `${caption}\n\n${table}`;
}

function rowText(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Where and when a section was measured: "2026-11-21, Node.js 24.19.0, linux x64, 2 cores". */
export function measuredOn(now: Date): string {
  const cores = availableParallelism();
  return [
    now.toISOString().slice(0, 10),
    `Node.js ${process.versions.node}`,
    `${platform()} ${arch()}`,
    `${cores} ${cores === 1 ? 'core' : 'cores'}`,
  ].join(', ');
}
