import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { buildModules } from './modules.ts';

/**
 * Builds the modules of a package that import large libraries again, with the parts of the libraries that they use. Users
 * of the package do not install these libraries. All other imports stay.
 *
 * @param libraries names of packages
 */
export async function inlineLibraries(directory: string, libraries: readonly string[]): Promise<void> {
  const modules = globSync('src/**/*.ts', { cwd: directory })
    .filter((file) => !/\.test\.ts$|(?:^|\/)testing\//.test(file))
    .filter((file) => importsOneOf(libraries, readFileSync(join(directory, file), 'utf8')));
  if (modules.length === 0 && libraries.length > 0)
    throw new Error(`No module of ${directory} imports ${libraries.join(', ')}.`);
  await buildModules(directory, {
    entries: modules,
    shared: 'inlined',
    legalComments: 'eof',
    plugins: [onlyLibraries(libraries)],
  });
}

function importsOneOf(libraries: readonly string[], source: string): boolean {
  return libraries.some((name) => new RegExp(`from '${name}['/]`).test(source));
}

/** The modules stay separate: one class in two modules would be two classes. */
function onlyLibraries(libraries: readonly string[]): Plugin {
  const isInlined = (path: string) => libraries.some((name) => path === name || path.startsWith(`${name}/`));
  return {
    name: 'only-libraries',
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ kind, path, importer }) => {
        if (kind === 'entry-point' || isInlined(path)) return undefined;
        const isInLibrary = importer.includes('/node_modules/');
        if (isInLibrary && path.startsWith('.')) return undefined;
        return { path: path.replace(/^(\..*)\.ts$/, '$1.js'), external: true };
      });
    },
  };
}
