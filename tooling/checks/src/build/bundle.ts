import { chmodSync, cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { groupsOf, oneFilePerGroup } from './join.ts';
import { writeFirstAnswers } from './first-answers.ts';
import { inlineLibraries } from './inline.ts';
import { lazyBuiltins } from './lazy-builtins.ts';
import { outputOptions, readManifest } from './modules.ts';

/** Loads `node:module` with the first use, see lazy-builtins.ts. */
const requireForCommonJs =
  "const require = (id) => process.getBuiltinModule('node:module').createRequire(import.meta.url)(id);";

/**
 * Bundles a package's `src/cli.ts` into `dist/bin`. The output has several chunks: in a single file, the static
 * imports of every lazily imported module would run at the start. `package.json` is copied into the bundle, because
 * `import manifest from '../package.json'` must work in `src` and in `dist`. See docs/decisions/0067.
 *
 * If the package has a `src/main.ts`, `cli.ts` becomes a separate small file, which shares no chunk with the rest: a
 * chunk contains whole modules, also those that only the rest needs.
 */
export async function bundle(directory: string): Promise<void> {
  const isSmall = existsSync(join(directory, 'src/main.ts'));
  const entries = [isSmall ? 'src/main.ts' : 'src/cli.ts'];
  const { inlined = [], started } = readManifest(directory).deskside ?? {};
  const plugins: readonly Plugin[] = [smallManifest, lazyBuiltins];
  const options = {
    ...outputOptions(directory, { entries, shared: '.', plugins, legalComments: 'eof' }),
    outdir: 'dist/bin',
    // Native: esbuild cannot bundle it.
    external: ['better-sqlite3'],
    // Its main file requires its parts through a variable, which a bundler cannot follow.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    metafile: true,
  } satisfies BuildOptions;

  rmSync(join(directory, 'dist/bin'), { recursive: true, force: true });
  const { metafile } = await build({ ...options, write: false });
  const joined =
    started === undefined
      ? []
      : [oneFilePerGroup(directory, groupsOf(metafile, entries, [entries, ...started]))];
  await build({
    ...options,
    plugins: [...joined, ...plugins],
    ...(requiresAtRunTime(metafile) ? { banner: { js: requireForCommonJs } } : {}),
  });
  if (isSmall) {
    await build({
      ...options,
      entryPoints: ['src/cli.ts'],
      splitting: false,
      // Node.js keeps the source in memory as long as the process runs.
      minify: true,
      plugins: [mainIsExternal, smallManifest, lazyBuiltins],
    });
  }
  await inlineLibraries(directory, inlined);
  copyAssets(directory);
  chmodSync(join(directory, 'dist/bin/cli.js'), 0o755);
  writeFileSync(join(directory, 'dist/bin/NOTICES.txt'), collectNotices(directory, metafile));
  if (isSmall) await writeFirstAnswers(directory);
}

const mainIsExternal: Plugin = {
  name: 'main-is-external',
  setup(build) {
    build.onResolve({ filter: /^\.\/main\.ts$/ }, () => ({ path: './main.js', external: true }));
  },
};

/** Programs use nothing else of a manifest. Node.js keeps the rest in memory, too. */
const smallManifest: Plugin = {
  name: 'small-manifest',
  setup(build) {
    build.onLoad({ filter: /[/\\]package\.json$/ }, ({ path }) => {
      const { name, version, description } = readManifest(dirname(path));
      return { contents: JSON.stringify({ name, version, description }), loader: 'json' };
    });
  },
};

function requiresAtRunTime({ outputs }: Metafile): boolean {
  return Object.values(outputs).some(({ imports }) => imports.some(({ kind }) => kind === 'require-call'));
}

/**
 * Copies asset folders from `src` to `dist`, where they have the same position relative to `dist/bin` as to the
 * sources. Assets of bundled workspace packages are copied too.
 */
function copyAssets(directory: string): void {
  for (const owner of ownersOf(directory)) {
    for (const folder of readManifest(owner).deskside?.assets ?? []) {
      cpSync(join(owner, 'src', folder), join(directory, 'dist', folder), { recursive: true });
    }
  }
}

/** A package and the workspace packages that its bin contains. */
function ownersOf(directory: string): string[] {
  const { dependencies = {} } = readManifest(directory);
  const bundled = Object.entries(dependencies).flatMap(([name, range]) =>
    range.startsWith('workspace:') ? [join(directory, 'node_modules', name)] : [],
  );
  return [directory, ...bundled];
}

/** The licenses of all packages in a bundle, which their terms require. */
function collectNotices(directory: string, { inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  );
  return [...new Set(folders)]
    .toSorted()
    .map((folder) => notice(join(directory, folder)))
    .join('\n\n');
}

function notice(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  const [file] = globSync('{LICENSE,LICENCE,license,licence}*', { cwd: folder });
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${String(manifest['name'])} (${String(manifest['license'])})\n\n${text}`.trim();
}
