import type { Benchmark, BenchmarkReport, Ratio, Table } from './benchmark.ts';

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
    `Measured ${measured}. Again: \`pnpm bench ${name}\`.`,
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
