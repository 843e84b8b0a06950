import { readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, platform } from 'node:os';
import { benchmarks } from './benchmarks.ts';
import { PAGE, pageOf, RESULTS, resultsText, sectionsOf, storedResults } from './page.ts';

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
  const figures = await benchmark.run();
  const measured = new Date().toISOString().slice(0, 10);
  const results = { ...storedResults(), [benchmark.name]: { measured, machine: machine(), ...figures } };
  // Write after each benchmark: a later one may fail.
  writeFileSync(RESULTS, resultsText(results));
  writeFileSync(PAGE, pageOf(readFileSync(PAGE, 'utf8'), benchmarks, results));
  console.log(sectionsOf([benchmark], results)['ratios']?.());
}

/** "Node.js 24.19.0, linux x64, 2 cores" */
function machine(): string {
  const cores = availableParallelism();
  return `Node.js ${process.versions.node}, ${platform()} ${arch()}, ${cores} ${cores === 1 ? 'core' : 'cores'}`;
}
