import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly deskside?: { readonly external?: readonly string[] };
}

/** Native packages can't be bundled: `"deskside": { "external": [...] }` names them, and they must be installed. */
export function readExternals(directory: string): string[] {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
  const installed = {
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
    ...manifest.dependencies,
  };
  const external = manifest.deskside?.external ?? [];
  const missing = external.filter((name) => !(name in installed));
  if (missing.length > 0) throw new Error(`${manifest.name} does not depend on ${missing.join(', ')}`);
  return [...external];
}
