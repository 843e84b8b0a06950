import { lstatSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import pMap from 'p-map';
import { type Check, type CheckResult, command, commandResult, resultOf } from '../check.ts';
import { isShortName, published, type WorkspacePackage } from '../workspace.ts';
import { checkBin } from './bins.ts';
import { checkConsumers, checkOwnServer } from './consumers.ts';
import { fetchRuntimes, installFor, pack, type Runtimes, type Tarball, withSiblings } from './install.ts';

const AT_ONCE = { concurrency: 2 };

/** Packs each published package, installs it in an empty folder and runs it, as a user of the registry does. */
export const tarballs: Check = {
  name: 'tarballs',
  async run() {
    using folder = temporaryFolder();
    const packed = await pMap(
      published,
      async (product) => ({ product, tarball: await pack(product, folder.path) }),
      AT_ONCE,
    );
    const paths = new Map(packed.map(({ product, tarball }) => [product.name, tarball.path]));
    const runtimes = await fetchRuntimes();
    const check = async ({ product, tarball }: (typeof packed)[number]) => {
      const own = join(folder.path, encodeURIComponent(product.name));
      const results = await checkProduct(product, tarball, paths, runtimes, own);
      return results.map(({ name, status, detail = '' }): CheckResult => {
        return { name: `tarball ${product.name}: ${name}`, status, detail };
      });
    };
    return (await pMap(packed, check, AT_ONCE)).flat();
  },
};

async function checkProduct(
  product: WorkspacePackage,
  tarball: Tarball,
  paths: ReadonlyMap<string, string>,
  runtimes: Runtimes,
  folder: string,
): Promise<CheckResult[]> {
  const results = [
    checkContents(product, tarball),
    await commandResult('publint', command('publint', ['run', '--strict', tarball.path])),
  ];
  if (!isShortName(product)) {
    const attw = command('attw', ['--profile', 'esm-only', '--no-definitely-typed', tarball.path]);
    results.push(await commandResult('exports', attw));
  }

  const needed = [...new Set(withSiblings(product))];
  await installFor(
    folder,
    needed.map((name) => paths.get(name) ?? name),
  );
  results.push(checkSize(product.name, folder));
  if (!isShortName(product)) results.push(...(await checkConsumers(product, folder)));
  if (product.name === '@deskside/core') {
    results.push(await checkOwnServer(product, tarball, folder));
  }
  for (const bin of Object.keys(product.manifest.bin ?? {})) {
    results.push(...(await checkBin(bin, product, runtimes, folder)));
  }
  return results;
}

const UNWANTED = /^src\/|\.test\.|\/testing\/|\.tsbuildinfo$|\.map$/;

function checkContents(product: WorkspacePackage, { files }: Tarball): CheckResult {
  const { unpkg, jsdelivr } = product.manifest;
  // Content delivery networks serve these for the package name. publint checks all other entries.
  const served = [unpkg, jsdelivr].flatMap((path) => (path === undefined ? [] : posix.normalize(path)));
  const code = isShortName(product) ? ['cli.js'] : ['dist/index.js', 'dist/index.d.ts'];
  const guide = product.name === '@deskside/core' ? ['docs/core.md', 'docs/core-reference.md'] : [];
  const needed = ['LICENSE', 'README.md', 'package.json', ...guide, ...code, ...served];
  return resultOf('contents', [
    ...needed.filter((file) => !files.includes(file)).map((file) => `lacks ${file}`),
    ...files.filter((file) => UNWANTED.test(file)).map((file) => `holds ${file}`),
  ]);
}

/** What a server and all that it depends on take, in megabytes; sharp, which is optional, has 20 of them. */
const MAX_INSTALLED_MB: Readonly<Record<string, number>> = {
  '@deskside/aggregator': 125,
  deskside: 125,
  '@deskside/log-notify': 25,
  // 0.5 MB above the target of 80.
  '@deskside/manictime': 81,
  '@deskside/notify-popup': 25,
  '@deskside/todo': 50,
};

function checkSize(name: string, folder: string): CheckResult {
  const entries = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
  const bytes = entries.map((entry) => lstatSync(join(entry.parentPath, entry.name)).size);
  const megabytes = bytes.reduce((sum, size) => sum + size, 0) / 1e6;
  const limit = MAX_INSTALLED_MB[name] ?? Number.POSITIVE_INFINITY;
  return resultOf(
    'installed size',
    megabytes > limit ? [`${megabytes.toFixed(1)} MB instead of ${limit}`] : [],
  );
}
