import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Metafile, type OnResolveResult, type Plugin } from 'esbuild';
import { lazyBuiltins } from './lazy-builtins.ts';
import { buildModules, outputOptions } from './modules.ts';

/** Folder of `dist` with what several entries share. */
const SHARED = 'chunks';

const SDK = '@modelcontextprotocol/server';

/**
 * Writes a library as one file per entry and a few shared ones, because Node.js loads many small files slowly. The
 * dependencies stay imports. See docs/decisions/0067.
 *
 * @param exported its published files, such as `./dist/text/index.js`
 * @param started those that a server imports
 */
export async function joinModules(
  directory: string,
  exported: readonly string[],
  started: readonly string[],
): Promise<void> {
  const files = exported.filter((file) => file.endsWith('.js'));
  const dist = join(directory, 'dist');
  const entries = files.map(sourceOf);
  const options = { entries, shared: SHARED, packages: 'external', plugins: [lazyBuiltins] } as const;
  const { metafile } = await build({ ...outputOptions(directory, options), write: false, metafile: true });
  const plugins = [
    oneFilePerGroup(directory, groupsOf(metafile, entries, started.map(sourceOf))),
    lazyBuiltins,
  ];
  await buildModules(directory, { ...options, plugins });
  const kept = new Set(files.map((file) => join(directory, file)));
  for (const file of globSync('**/*.js', { cwd: dist, exclude: [`${SHARED}/**`] })) {
    if (!kept.has(join(dist, file))) rmSync(join(dist, file));
  }
}

/** @param file such as `./dist/text/index.js` */
function sourceOf(file: string): string {
  return file.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts');
}

/** Modules that belong together, by each entry and each module loaded later that imports one of them. */
type Groups = ReadonlyMap<string, readonly string[]>;

/**
 * The bundler writes a file for each set of entries that share a module. What a server imports is put together in few
 * groups: for each of the entries that it imports, with the SDK and without it, for the entries that do not load it.
 */
function groupsOf({ inputs }: Metafile, entries: readonly string[], starts: readonly string[]): Groups {
  const later = Object.values(inputs).flatMap(({ imports }) =>
    imports.flatMap(({ kind, path }) => (kind === 'dynamic-import' && path in inputs ? path : [])),
  );
  const reached = new Map([...entries, ...later].map((entry) => [entry, modulesFrom(entry, inputs)]));
  const started = new Set(starts.flatMap((entry) => [...(reached.get(entry) ?? [])]));
  const small = [...reached.values()].filter(
    (modules) => ![...modules].some((each) => usesSdk(inputs, each)),
  );
  const shared = [...started].filter((module) => module in inputs && !entries.includes(module));
  const groups = Object.values(
    Object.groupBy(shared, (module) =>
      [
        ...starts.map((start) => reached.get(start)?.has(module)),
        small.some((modules) => modules.has(module)),
      ].join(' '),
    ),
  );
  return new Map(
    [...reached].map(([entry, modules]) => [
      entry,
      groups.flatMap((group = []) => (group.some((module) => modules.has(module)) ? group : [])),
    ]),
  );
}

function modulesFrom(entry: string, inputs: Metafile['inputs']): ReadonlySet<string> {
  const found = new Set([entry]);
  for (const module of found) {
    for (const { kind, path } of inputs[module]?.imports ?? []) {
      if (kind !== 'dynamic-import') found.add(path);
    }
  }
  return found;
}

function usesSdk(inputs: Metafile['inputs'], module: string): boolean {
  return inputs[module]?.imports.some(({ path }) => path.startsWith(SDK)) === true;
}

/** @param module as the bundler names it: a path, or a namespace and a path */
function inGroup(directory: string, module: string): OnResolveResult {
  const [, namespace, path] = /^([a-z-]+):(.*)$/.exec(module) ?? [];
  return path === undefined
    ? { path: join(directory, module), sideEffects: true }
    : { path, ...(namespace === undefined ? {} : { namespace }) };
}

/** Each entry imports all of its groups, so that all modules of a group have the same entries. */
function oneFilePerGroup(directory: string, groups: Groups): Plugin {
  const isGroup = /^group:/;
  return {
    name: 'one-file-per-group',
    setup({ onLoad, onResolve }) {
      // Without side effects, the bundler would drop the added imports.
      onResolve({ filter: isGroup }, ({ path }) => inGroup(directory, path.replace(isGroup, '')));
      onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind }) =>
        kind === 'entry-point' ? undefined : { path: join(dirname(importer), path), sideEffects: true },
      );
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const group = groups.get(path.slice(directory.length + 1)) ?? [];
        const imports = group.map((module) => `import ${JSON.stringify(`group:${module}`)};`);
        return { contents: [readFileSync(path, 'utf8'), ...imports].join('\n'), loader: 'ts' };
      });
    },
  };
}
