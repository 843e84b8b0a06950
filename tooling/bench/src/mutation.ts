import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { root } from '@deskside/checks/src/workspace.ts';
import type { Benchmark, Figures } from './benchmark.ts';

export const mutation: Benchmark = {
  name: 'mutation',
  title: 'Changes that no unit test notices',
  meaning: 'How many random changes of the code pass the unit tests.',
  method:
    '`pnpm mutate`: 120 random changes for each package, in files of whose functions unit tests execute at least a quarter, each met by the nearest unit tests.',
  caveats: ['The seed is new in each run: rates differ by some percent.'],
  async run() {
    const child = spawn(process.execPath, ['tooling/checks/src/mutate/main.ts'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return mutationFigures(await text(child.stdout));
  },
};

/** @param output of `pnpm mutate`: a rate per folder, and one of all, whose name has no slash */
function mutationFigures(output: string): Figures {
  const lines = output.matchAll(/^(\S+\/\S+): (\d+) of (\d+) mutants survived/gm);
  const rows = [...lines].map(
    ([, name = '', survived, decided]) => [name, Number(survived), Number(decided)] as const,
  );
  if (rows.length === 0) throw new Error('pnpm mutate printed no rate.');
  const [weakest = { name: '', rate: 0 }] = rows
    .map(([name, survived, decided]) => ({ name, rate: survived / decided }))
    .toSorted((a, b) => b.rate - a.rate);
  const total = (column: 1 | 2) => rows.reduce((sum, row) => sum + row[column], 0);
  return {
    numbers: Object.fromEntries(
      rows.flatMap(([name, survived, decided]) => [
        [`${name}, survived`, survived],
        [`${name}, changes`, decided],
      ]),
    ),
    ratios: [
      { title: `${weakest.name}, the highest of a package`, value: weakest.rate, target: { atMost: 0.3 } },
      { title: 'all packages', value: total(1) / total(2), target: { atMost: 0.2 } },
    ],
  };
}
