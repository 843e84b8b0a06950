import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly deskside?: { readonly assets?: readonly string[] };
}

/**
 * Copies the folders that are read at run time from `src` to `dist`, where they lie beside `dist/bin` as they
 * lie beside the sources: `"deskside": { "assets": [...] }` names them. Those of the workspace's packages that
 * are bundled come along.
 */
export function copyAssets(directory: string): void {
  const { dependencies = {} } = readManifest(directory);
  const bundled = Object.entries(dependencies).flatMap(([name, range]) =>
    range.startsWith('workspace:') ? [join(directory, 'node_modules', name)] : [],
  );
  for (const owner of [directory, ...bundled]) {
    for (const folder of readManifest(owner).deskside?.assets ?? []) {
      cpSync(join(owner, 'src', folder), join(directory, 'dist', folder), { recursive: true });
    }
  }
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}
