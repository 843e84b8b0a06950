import { globSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install, pack, type Tarball } from '@deskside/checks/src/tarballs/install.ts';
import { published } from '@deskside/checks/src/workspace.ts';
import { z } from 'zod';
import type { Benchmark, Figures } from './benchmark.ts';

/** What a user installs, and at most how many megabytes. */
const TARGETS: Readonly<Record<string, number>> = {
  '@deskside/aggregator': 105,
  '@deskside/log-notify': 25,
  '@deskside/manictime': 60,
  '@deskside/notify-popup': 25,
  '@deskside/todo': 50,
};
/** sharp is optional. */
const ADDED_BY_SHARP_MB = 20;

interface Weighed {
  readonly name: string;
  readonly tarballKb: number;
  readonly megabytes: number;
  readonly packages: number;
  /** Packages that are installed in two versions or places. */
  readonly twice: readonly string[];
}

export const weight: Benchmark = {
  name: 'weight',
  title: 'What an installation weighs',
  meaning: 'What `npx` downloads and stores for a server.',
  method:
    'Each package from its tarball, installed with npm in an empty folder, as `npx` does: the sizes of all files in node_modules. ' +
    '"Twice" names packages that are there in two places.',
  caveats: ['sharp is an optional dependency of manictime, and npm installs it where it has a build.'],
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'deskside-weight-'));
    try {
      const packed = new Map<string, Tarball>();
      for (const product of published) packed.set(product.name, await pack(product, folder));
      const all: Weighed[] = [];
      for (const product of published) {
        const target = join(folder, product.name.replace('/', '-'));
        const { status, detail } = await install(product.name, product, packed, target);
        if (status !== 'passed') throw new Error(`${product.name} cannot be installed: ${detail ?? ''}`);
        const tarball = packed.get(product.name)?.path ?? '';
        all.push(weighed(product.name, target, lstatSync(tarball).size / 1000));
      }
      return report(all);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

const manifest = z.object({ name: z.string().optional(), version: z.string().optional() });

function weighed(name: string, folder: string, tarballKb: number): Weighed {
  const names = globSync('**/node_modules/{*,@*/*}/package.json', { cwd: folder })
    .map((file) => manifest.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
    .flatMap((each) => (each.version === undefined ? [] : (each.name ?? [])));
  const twice = names.filter((each, index) => names.indexOf(each) !== index);
  return {
    name,
    tarballKb,
    megabytes: bytesIn(join(folder, 'node_modules')) / 1_000_000,
    packages: names.length,
    twice: [...new Set(twice)],
  };
}

function bytesIn(path: string): number {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

function report(all: readonly Weighed[]): Figures {
  return {
    tables: [
      {
        columns: ['Package', 'Tarball, kB', 'Installed, MB', 'Packages', 'Twice'],
        rows: all.map(({ name, tarballKb, megabytes, packages, twice }) => [
          name,
          tarballKb.toFixed(0),
          megabytes.toFixed(1),
          packages,
          twice.join(', '),
        ]),
      },
    ],
    ratios: all.flatMap(({ name, megabytes }) => {
      const limit = TARGETS[name];
      if (limit === undefined) return [];
      const hasSharp = name === '@deskside/manictime' || name === '@deskside/aggregator';
      const value = megabytes / (limit + (hasSharp ? ADDED_BY_SHARP_MB : 0));
      return [
        {
          title: `${name} to its target of ${limit} MB${hasSharp ? ' and 20 MB for sharp' : ''}`,
          value,
          target: { atMost: 1 },
        },
      ];
    }),
  };
}
