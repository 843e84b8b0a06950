import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '@deskside/core/testing';
import * as fc from 'fast-check';
import { sources } from '../repository/sources.ts';
import { products, root, type WorkspacePackage } from '../workspace.ts';
import { type Mutable, type Mutant, mutable } from './mutants.ts';
import { type Baseline, openRunner } from './runner.ts';

interface Outcome {
  survived: number;
  decided: number;
}

const MAX_SURVIVAL = 0.2;
const MAX_SURVIVAL_OF_PACKAGE = 0.3;
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
/** Changes that no test can notice, because the program does the same. */
const equivalents = JSON.parse(
  readFileSync(join(import.meta.dirname, 'equivalent.json'), 'utf8'),
) as readonly Pick<Mutant, 'path' | 'lineText' | 'change'>[];

const targets = products.flatMap((product) => {
  const folder = relative(root, product.directory);
  if (positionals.length === 0 || positionals.includes(basename(folder)))
    return { product, folder, prefix: folder };
  return positionals
    .filter((path) => `${path}/`.startsWith(`${folder}/`))
    .map((prefix) => ({ product, folder, prefix }));
});
if (targets.length === 0) {
  console.error('Usage: pnpm mutate [package or path] [--count 120] [--seed N]');
  process.exit(1);
}

console.log(`Seed ${values.seed}`);
const all: Outcome = { survived: 0, decided: 0 };
for (const { product, folder, prefix } of targets) {
  const outcome = await mutate(product, folder, prefix);
  all.survived += outcome.survived;
  all.decided += outcome.decided;
  if (rate(outcome) > MAX_SURVIVAL_OF_PACKAGE) process.exitCode = 1;
  console.log(`${prefix}: ${describe(outcome)}\n`);
}
if (targets.length > 1) console.log(`All: ${describe(all)}`);
if (rate(all) > MAX_SURVIVAL) process.exitCode = 1;

async function mutate(product: WorkspacePackage, folder: string, prefix: string): Promise<Outcome> {
  using work = temporaryFolder();
  await using runner = await openRunner(folder, work.path);
  const mutants: { readonly mutant: Mutant; readonly point: number; readonly file: Mutable }[] = [];
  const bases = new Map<Mutable, number>();
  const paths = sources.filter(({ owner, path }) => owner === product && path.startsWith(prefix));
  let points = 0;
  for (const { path } of paths) {
    const base = points;
    const file = mutable(path, readFileSync(join(root, path), 'utf8'));
    runner.replace(
      path,
      file.instrumented((point) => `globalThis.hit?.(${base + point})`),
    );
    for (const mutant of file.mutants)
      if (!isEquivalent(mutant)) mutants.push({ mutant, point: base + mutant.point, file });
    bases.set(file, base);
    points += file.points;
  }
  const baselines: Baseline[] = [];
  for (const file of runner.files) baselines.push(await runner.measure(file));
  for (const { path } of paths) runner.replace(path, undefined);

  const executed = new Set(baselines.flatMap(({ hits }) => [...hits]));
  const isTested = (file: Mutable) => {
    const ran = file.called.filter((point) => executed.has((bases.get(file) ?? 0) + point));
    return ran.length >= file.called.length * MIN_EXECUTED && ran.length > 0;
  };
  const tested = new Set([...bases.keys()].filter(isTested));
  const candidates = mutants.filter(({ point, file }) => tested.has(file) && executed.has(point));
  const length = Math.min(candidates.length, Number(values.count));
  const choices = fc.shuffledSubarray(candidates, { minLength: length, maxLength: length });
  const [chosen = []] = fc.sample(choices, { seed: Number(values.seed), numRuns: 1 });
  if (chosen.length === 0) throw new Error(`No test executes a line of ${prefix}.`);
  const outcome = { survived: 0, decided: 0 };
  for (const { mutant, point } of chosen) {
    runner.replace(mutant.path, mutant.code());
    const files = nearest(
      mutant.path,
      baselines.filter(({ hits }) => hits.has(point)),
    );
    const survived = await runner.passes(files);
    runner.replace(mutant.path, undefined);
    outcome.decided++;
    if (!survived) continue;
    outcome.survived++;
    console.log(`${mutant.path}:${mutant.line}  ${mutant.change}\n    ${mutant.lineText}`);
  }
  return outcome;
}

function isEquivalent({ path, lineText, change }: Mutant): boolean {
  return equivalents.some(
    (known) => known.path === path && known.lineText === lineText && known.change === change,
  );
}

/** The nearest folders first, and the fastest file of a folder. */
function nearest(path: string, candidates: readonly Baseline[]): Baseline['file'][] {
  const distance = ({ file }: Baseline) => relative(join(root, path), file.moduleId).split('/').length;
  return candidates
    .toSorted((a, b) => distance(a) - distance(b) || a.ms - b.ms)
    .slice(0, MAX_FILES)
    .map(({ file }) => file);
}

function describe(outcome: Outcome): string {
  return `${outcome.survived} of ${outcome.decided} mutants survived, ${Math.round(rate(outcome) * 100)} %`;
}

function rate({ survived, decided }: Outcome): number {
  return survived / decided;
}
