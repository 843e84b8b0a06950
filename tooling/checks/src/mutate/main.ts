import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '@deskside/core/testing';
import * as fc from 'fast-check';
import { sources } from '../repository/sources.ts';
import { products, root, type WorkspacePackage } from '../workspace.ts';
import { mutable } from './mutants.ts';
import { type Baseline, openRunner } from './runner.ts';

/**
 * A file of whose functions unit tests execute less is tested elsewhere, for example in a browser: they load it, and its
 * constants run without a test of them.
 */
const MIN_EXECUTED = 0.25;
/** A mutant meets the nearest test files that execute it. */
const MAX_FILES = 13;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const targets = products.flatMap((product) => {
  const folder = relative(root, product.directory);
  const isWhole = positionals.length === 0 || positionals.includes(basename(folder));
  const prefixes = isWhole ? [folder] : positionals.filter((path) => `${path}/`.startsWith(`${folder}/`));
  return prefixes.map((prefix) => ({ product, folder, prefix }));
});
if (targets.length === 0) {
  console.error('Usage: pnpm mutate [package or path] [--count 120] [--seed N]');
  process.exit(1);
}

console.log(`Seed ${values.seed}`);
for (const { product, folder, prefix } of targets) await mutate(product, folder, prefix);
// Vitest sets it for each test that notices a mutant.
process.exitCode = 0;

async function mutate(product: WorkspacePackage, folder: string, prefix: string): Promise<void> {
  using work = temporaryFolder();
  const files = sources
    .filter(({ owner, path }) => owner === product && path.startsWith(prefix))
    .map(({ path }) => mutable(path, readFileSync(join(root, path), 'utf8')));
  const changed = Object.fromEntries(files.map(({ path, code }) => [join(root, path), code]));
  await using runner = await openRunner(folder, work.path, changed);
  const baselines: Baseline[] = [];
  for (const file of runner.files) baselines.push(await runner.measure(file));

  const met = new Set(baselines.flatMap((each) => [...each.met]));
  const candidates = files.flatMap(({ mutants }) => {
    const called = mutants.filter(({ isCalled }) => isCalled);
    const ran = called.filter(({ id }) => met.has(id)).length;
    return ran >= called.length * MIN_EXECUTED && ran > 0 ? mutants.filter(({ id }) => met.has(id)) : [];
  });
  const length = Math.min(candidates.length, Number(values.count));
  const choices = fc.shuffledSubarray(candidates, { minLength: length, maxLength: length });
  const [chosen = []] = fc.sample(choices, { seed: Number(values.seed), numRuns: 1 });
  if (chosen.length === 0) throw new Error(`No test executes a line of ${prefix}.`);
  let survived = 0;
  for (const { id, path, line, lineText, change } of chosen) {
    const executing = baselines.filter((each) => each.met.has(id));
    if (!(await runner.passes(id, nearest(path, executing)))) continue;
    survived += 1;
    console.log(`${path}:${line}  ${change}\n    ${lineText}`);
  }
  const rate = Math.round((survived / chosen.length) * 100);
  console.log(`${prefix}: ${survived} of ${chosen.length} mutants survived, ${rate} %\n`);
}

/** The nearest folders first, and the fastest file of a folder. */
function nearest(path: string, candidates: readonly Baseline[]): Baseline[] {
  const distance = ({ file }: Baseline) => relative(join(root, path), file.moduleId).split('/').length;
  return candidates.toSorted((a, b) => distance(a) - distance(b) || a.ms - b.ms).slice(0, MAX_FILES);
}
