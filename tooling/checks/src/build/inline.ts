import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { buildModules, readManifest } from './modules.ts';

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
    plugins: [onlyLibraries(directory, libraries)],
  });
  for (const name of libraries) inlineTypes(directory, name);
}

/** The declarations of a package of this workspace that is not published, for those that name its types. */
function inlineTypes(directory: string, name: string): void {
  const library = join(directory, 'node_modules', name);
  const { exports = {}, private: isPrivate } = readManifest(library);
  if (isPrivate !== true) return;
  const dist = join(directory, 'dist');
  const folder = join(dist, 'inlined', basename(name));
  for (const file of globSync('**/*.d.ts', { cwd: join(library, 'dist') })) {
    if (!/\.test\.|(?:^|\/)testing\//.test(file))
      cpSync(join(library, 'dist', file), join(folder, file), { recursive: true });
  }
  for (const file of globSync('**/*.d.ts', { cwd: dist })) {
    const text = readFileSync(join(dist, file), 'utf8');
    const inlined = text.replaceAll(
      new RegExp(`(['"])${name}(/[^'"]*)?\\1`, 'g'),
      (_, quote, subpath = '') => {
        const source = exports[`.${subpath}`] ?? '';
        const path = relative(
          dirname(join(dist, file)),
          join(folder, source.replace(/^\.\/src\/(.*)\.ts$/, '$1.js')),
        );
        return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
      },
    );
    if (inlined !== text) writeFileSync(join(dist, file), inlined);
  }
}

function importsOneOf(libraries: readonly string[], source: string): boolean {
  return libraries.some((name) => new RegExp(`(?:from |import\\()'${name}['/]`).test(source));
}

/** The modules stay separate: one class in two modules would be two classes. */
function onlyLibraries(directory: string, libraries: readonly string[]): Plugin {
  const isInlined = (path: string) => libraries.some((name) => path === name || path.startsWith(`${name}/`));
  return {
    name: 'only-libraries',
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ kind, path, importer }) => {
        if (kind === 'entry-point' || isInlined(path)) return undefined;
        const isInLibrary =
          importer.includes('/node_modules/') || !importer.startsWith(join(directory, 'src'));
        if (isInLibrary && /^[.#]/.test(path)) return undefined;
        return { path: path.replace(/^(\..*)\.ts$/, '$1.js'), external: true };
      });
    },
  };
}
