import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { products, root, type WorkspacePackage } from '../workspace.ts';

/** A source file of a product; tests and test support are left out. */
export interface Source {
  /** From the root of the repository, for example `packages/todo/src/cli.ts`. */
  readonly path: string;
  readonly owner: WorkspacePackage;
  /** Files of the same package that it imports: static, dynamic and type imports, and re-exports. */
  readonly imports: readonly string[];
}

export const sources: readonly Source[] = products.flatMap((owner) =>
  globSync('src/**/*.{ts,tsx}', { cwd: owner.directory })
    .filter((path) => !/\.test\.tsx?$|\/testing\//.test(path))
    .toSorted()
    .map((path) => readSource(owner, join(owner.directory, path))),
);

/** Module specifiers of static, dynamic and type imports, and of re-exports. */
function specifiersOf(file: string, text: string): string[] {
  const { module } = parseSync(file, text);
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...module.dynamicImports.flatMap(
      ({ moduleRequest: { start, end } }) => /^['"](.*)['"]$/.exec(text.slice(start, end))?.slice(1) ?? [],
    ),
  ];
}

/** Texts in a file: errors, hints, help, everything that a program prints. A string without a space is a name. */
export function stringsIn(path: string): string[] {
  const strings: string[] = [];
  const { program } = parseSync(path, readFileSync(join(root, path), 'utf8'));
  new Visitor({
    Literal({ value }) {
      if (typeof value === 'string') strings.push(value);
    },
    TemplateLiteral({ quasis }) {
      strings.push(quasis.map(({ value }) => value.cooked ?? '').join('…'));
    },
  }).visit(program);
  return strings.filter((text) => text.includes(' '));
}

function readSource(owner: WorkspacePackage, file: string): Source {
  const text = readFileSync(file, 'utf8');
  const path = file.slice(root.length + 1);
  const imports = specifiersOf(path, text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(dirname(path), specifier));
  return { path, owner, imports };
}
