import { globSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Metafile, type OnResolveResult, type Plugin } from 'esbuild';
import { lazyBuiltins } from './lazy-builtins.ts';
import { buildModules, outputOptions } from './modules.ts';

/** Folder of `dist` with what several entries share. */
const SHARED = 'chunks';

/** In an import, and in the path of a bundled module. */
const SDK = /@modelcontextprotocol[/+](?:server|core)/;

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
  const starts = started.map((file) => [sourceOf(file)]);
  const plugins = [oneFilePerGroup(directory, groupsOf(metafile, entries, starts)), lazyBuiltins];
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
 * The bundler writes a file for each set of entries that share a module. What a start loads is put together in few groups: for
 * each of the starts, with the SDK and without it, for the entries that do not load it.
 *
 * @param starts the entries, and the modules loaded later, that load together
 */
export function groupsOf(
  { inputs, outputs }: Metafile,
  entries: readonly string[],
  starts: readonly (readonly string[])[],
): Groups {
  const later = Object.values(inputs).flatMap(({ imports }) =>
    imports.flatMap(({ kind, path }) => (kind === 'dynamic-import' && path in inputs ? path : [])),
  );
  const all = [...entries, ...later];
  const reached = new Map(all.map((entry) => [entry, modulesFrom(entry, outputs)]));
  const unknown = starts.flat().find((entry) => !reached.has(entry));
  if (unknown !== undefined) throw new Error(`No module loads ${unknown}, which a start names.`);
  const small = [...reached.values()].filter(
    (modules) => ![...modules].some((each) => usesSdk(inputs, each)),
  );
  const reachedBy = (start: readonly string[]) =>
    new Set(start.flatMap((entry) => [...(reached.get(entry) ?? [])]));
  const started = starts.map(reachedBy);
  const shared = [...new Set(started.flatMap((modules) => [...modules]))].filter(
    (module) => !entries.includes(module) && !module.includes('node_modules/'),
  );
  const groups = Object.values(
    Object.groupBy(shared, (module) =>
      [...started.map((modules) => modules.has(module)), small.some((modules) => modules.has(module))].join(
        ' ',
      ),
    ),
  );
  return new Map(
    [...reached].map(([entry, modules]) => [
      entry,
      groups.flatMap((group = []) => (group.some((module) => modules.has(module)) ? group : [])),
    ]),
  );
}

/** What is left of the modules that an entry loads at once, without what the bundler drops. */
function modulesFrom(entry: string, outputs: Metafile['outputs']): ReadonlySet<string> {
  const files = new Set(Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === entry));
  const found = new Set<string>();
  for (const file of files) {
    const { inputs = {}, imports = [] } = outputs[file] ?? {};
    for (const { kind, path } of imports) if (kind !== 'dynamic-import') files.add(path);
    for (const [module, { bytesInOutput }] of Object.entries(inputs))
      if (bytesInOutput > 0) found.add(module);
  }
  return found;
}

function usesSdk(inputs: Metafile['inputs'], module: string): boolean {
  return inputs[module]?.imports.some(({ path }) => SDK.test(path)) === true;
}

/** @param module as the bundler names it: a path, or a namespace and a path */
function inGroup(directory: string, module: string): OnResolveResult {
  const [, namespace, path] = /^([a-z-]+):(.*)$/.exec(module) ?? [];
  return path === undefined
    ? { path: join(directory, module), sideEffects: true }
    : { path, ...(namespace === undefined ? {} : { namespace }) };
}

/** Each entry imports all of its groups, so that all modules of a group have the same entries. */
export function oneFilePerGroup(directory: string, groups: Groups): Plugin {
  const isGroup = /^group:/;
  const grouped = new Set([...groups.values()].flat());
  /** Files by the names of workspace packages and their exports, which mean the same in each package. */
  const named = new Map<string, string>();
  return {
    name: 'one-file-per-group',
    setup({ onLoad, onResolve, resolve }) {
      // Without side effects, the bundler would drop the added imports.
      onResolve({ filter: isGroup }, ({ path }) => inGroup(directory, path.replace(isGroup, '')));
      onResolve({ filter: /^(?:\.|@deskside\/)/ }, async ({ path, kind, pluginData, ...from }) => {
        const isOwn = !from.importer.includes('/node_modules/');
        if (kind === 'entry-point' || pluginData === isGroup || !isOwn) return undefined;
        let file = path.startsWith('.') ? join(from.resolveDir, path) : named.get(path);
        if (file === undefined) {
          // The bundler reads all manifests again to answer this.
          ({ path: file } = await resolve(path, { ...from, kind, pluginData: isGroup }));
          named.set(path, file);
        }
        return grouped.has(relative(directory, file)) ? { path: file, sideEffects: true } : undefined;
      });
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const group = groups.get(relative(directory, path)) ?? [];
        const imports = group.map((module) => `import ${JSON.stringify(`group:${module}`)};`);
        return { contents: [readFileSync(path, 'utf8'), ...imports].join('\n'), loader: 'ts' };
      });
    },
  };
}
