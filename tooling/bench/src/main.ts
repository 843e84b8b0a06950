import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { benchmarks } from './benchmarks.ts';
import { documentOf, sectionsOf } from './document.ts';
import { measuredOn } from './machine.ts';
import { section } from './section.ts';

const page = resolve(import.meta.dirname, '../../../docs/benchmarks.md');
const names = benchmarks.map(({ name }) => name);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${names.join(', ')}.`);
  process.exit(1);
}

for (const benchmark of benchmarks.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  console.log(`\nRunning ${benchmark.name} …\n`);
  const text = section(benchmark, await benchmark.run(), measuredOn(new Date()));
  console.log(text);
  // Written after each, so that one that fails costs none of the others.
  const kept = sectionsOf(existsSync(page) ? readFileSync(page, 'utf8') : '');
  writeFileSync(page, documentOf(names, new Map([...kept, [benchmark.name, text]])));
}
