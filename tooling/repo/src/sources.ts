import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { products, root, type WorkspacePackage } from './workspace.ts';

export interface Source {
  /** From the repository's root, as in `packages/todo/src/cli.ts`. */
  readonly path: string;
  readonly owner: WorkspacePackage;
  readonly lines: number;
  /** Module specifiers of static, dynamic and type imports. */
  readonly imports: readonly string[];
}

/** The sources of the product, without its tests and what they need. */
export const sources: readonly Source[] = products.flatMap((owner) =>
  globSync('src/**/*.{ts,tsx}', { cwd: owner.directory })
    .filter((path) => !/\.test\.tsx?$|\/testing\//.test(path))
    .map((path) => readSource(owner, join(owner.directory, path))),
);

function readSource(owner: WorkspacePackage, file: string): Source {
  const text = readFileSync(file, 'utf8');
  return {
    path: file.slice(root.length + 1),
    owner,
    lines: text.split('\n').length - 1,
    imports: [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
      ([, specifier]) => specifier ?? '',
    ),
  };
}
