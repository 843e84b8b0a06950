import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageSource } from './page-source.ts';

const parts = Object.entries(await pageSource()).map(
  ([name, part]) => `  ${name}:\n    ${singleQuoted(part)},\n`,
);
writeFileSync(
  join(import.meta.dirname, '../src/loopback/page-source.ts'),
  `/** Made of src/page by build/main.ts. */\nexport const pageSource = {\n${parts.join('')}} as const;\n`,
);

/** A string literal as the formatter leaves it. */
function singleQuoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}
