import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { attached } from './attached.ts';
import type { Benchmark } from './benchmark.ts';
import { coldStart } from './cold-start.ts';
import { external } from './external.ts';
import { logNotify } from './log-notify.ts';
import { manictimeQueries } from './manictime-queries.ts';
import { manictimeScreenshots } from './manictime-screenshots.ts';
import { popup } from './popup.ts';
import { popupMemory } from './popup-memory.ts';
import { requestCost } from './request-cost.ts';
import { todo } from './todo.ts';
import { toast } from './toast.ts';
import { weight } from './weight.ts';
import { documentOf, measuredOn, section, sectionsOf } from './document.ts';

/** In the order of docs/benchmarks.md. */
const benchmarks: readonly Benchmark[] = [
  weight,
  coldStart,
  attached,
  requestCost,
  external,
  manictimeQueries,
  manictimeScreenshots,
  popup,
  popupMemory,
  todo,
  toast,
  logNotify,
];

const page = resolve(import.meta.dirname, '../../../docs/benchmarks.md');
const names = benchmarks.map(({ name }) => name);

// `pnpm bench -- <name>` passes the dashes on.
const asked = process.argv.slice(2).filter((argument) => argument !== '--');
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Benchmarks: ${names.join(', ')}.`);
  process.exit(1);
}

for (const benchmark of benchmarks.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  console.log(`\nRunning ${benchmark.name} …\n`);
  const text = section(benchmark, await benchmark.run(), measuredOn(new Date()));
  console.log(text);
  // Write after each benchmark: a later one may fail.
  const existing = sectionsOf(existsSync(page) ? readFileSync(page, 'utf8') : '');
  writeFileSync(page, documentOf(names, new Map([...existing, [benchmark.name, text]])));
}
