import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptFile, viewPage } from './bundles.ts';
import { gzippedBytes, SIZE_LIMITS } from './sizes.ts';

const directory = join(import.meta.dirname, '..');
const [script, page] = await Promise.all([scriptFile(), viewPage()]);

mkdirSync(join(directory, 'dist/script'), { recursive: true });
writeFileSync(join(directory, 'dist/script/deskside-toaster.js'), script);
writeFileSync(
  join(directory, 'src/resources/toast-page.ts'),
  `/** Made of src/view by build/main.ts. */\nexport const toastPage =\n  ${singleQuoted(page)};\n`,
);

for (const [name, text, limit] of [
  ['deskside-toaster.js', script, SIZE_LIMITS.script],
  ['toast.html', page, SIZE_LIMITS.view],
] as const) {
  process.stdout.write(`${name}: ${text.length} bytes, ${gzippedBytes(text)} gzipped (limit ${limit})\n`);
}

/** A string literal as the formatter leaves it. */
function singleQuoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}
