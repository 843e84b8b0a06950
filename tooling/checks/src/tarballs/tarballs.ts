import { join } from 'node:path';
import { published, type WorkspacePackage } from '@deskside/repo';
import pMap from 'p-map';
import type { Check, CheckResult } from '../check.ts';
import { command, commandResult } from '../command.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';
import { checkBin } from './bins.ts';
import { checkConsumers } from './consumer.ts';
import { checkContents } from './contents.ts';
import { install } from './install.ts';
import { pack, type Tarball } from './pack.ts';
import { fetchRuntimes, type Runtimes } from './runtimes.ts';

/** What a user gets from the registry: each package as it is packed, installed in an empty folder and run. */
export const tarballs: Check = {
  name: 'tarballs',
  run: () =>
    withTemporaryFolder(async (folder) => {
      const packed = new Map<string, Tarball>();
      for (const product of published) packed.set(product.name, await pack(product, folder));
      const runtimes = await fetchRuntimes();
      const results = await pMap(
        published,
        (product) => checkProduct(product, packed, runtimes, join(folder, encodeURIComponent(product.name))),
        { concurrency: 2 },
      );
      return results.flat();
    }),
};

async function checkProduct(
  product: WorkspacePackage,
  packed: ReadonlyMap<string, Tarball>,
  runtimes: Runtimes,
  folder: string,
): Promise<CheckResult[]> {
  const tarball = packed.get(product.name);
  if (tarball === undefined) throw new Error(`${product.name} was not packed`);

  const label = (aspect: string): string => `tarball ${product.name}: ${aspect}`;
  const results = [
    checkContents(label('contents'), product, tarball),
    await commandResult(label('publint'), command('publint', ['run', '--strict', tarball.path])),
    await commandResult(
      label('exports'),
      command('attw', ['--profile', 'esm-only', '--no-definitely-typed', tarball.path]),
    ),
  ];

  const installed = await install(label('install'), product, packed, folder);
  results.push(installed);
  if (installed.status === 'failed') return results;

  results.push(...(await checkConsumers(label, product, folder)));
  for (const bin of Object.keys(product.manifest.bin ?? {})) {
    results.push(...(await checkBin(label, bin, product, runtimes, folder)));
  }
  return results;
}
