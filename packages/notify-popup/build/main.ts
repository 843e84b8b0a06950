import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageSource } from './page-source.ts';

/** Characters of a line, as the formatter is told. */
const PRINT_WIDTH = 110;

const parts = Object.entries(await pageSource()).map(([name, part]) => property(name, part));
writeFileSync(
  join(import.meta.dirname, '../src/loopback/page-source.ts'),
  `/** Made of src/page by build/main.ts. */\nexport const pageSource = {\n${parts.join('\n')}\n} as const;\n`,
);

/** As the formatter leaves it. */
function property(name: string, text: string): string {
  const line = `  ${name}: ${literal(text)},`;
  return line.length <= PRINT_WIDTH ? line : `  ${name}:\n    ${literal(text)},`;
}

function literal(text: string): string {
  const doubleQuoted = JSON.stringify(text);
  if (text.split("'").length > text.split('"').length) return doubleQuoted;
  return `'${doubleQuoted.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
