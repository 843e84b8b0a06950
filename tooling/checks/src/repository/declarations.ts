import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A name in a declaration file, either declared there or taken from another file. */
interface Reference {
  readonly file: string;
  readonly name: string;
}

interface DeclarationFile {
  /** Declarations without comments by name; overloads share a name. */
  readonly declared: ReadonlyMap<string, readonly { readonly text: string; readonly node: Node }[]>;
  readonly imported: ReadonlyMap<string, Reference>;
  readonly exported: ReadonlyMap<string, Reference>;
  readonly stars: readonly string[];
}

/**
 * Everything that a public entry exports, as declarations: the exported ones, then those that their types use.
 *
 * @param entry a `.d.ts` file
 */
export function publicDeclarations(entry: string): string[] {
  const files = new Map<string, DeclarationFile>();
  const read = (file: string): DeclarationFile => {
    const known = files.get(file) ?? readDeclarations(file);
    files.set(file, known);
    return known;
  };

  function exportsOf(file: string): Map<string, Reference> {
    const { exported, stars } = read(file);
    const all = new Map(exported);
    for (const star of stars) for (const [name, reference] of exportsOf(star)) all.set(name, reference);
    return all;
  }

  /** The file that declares a name; undefined if it comes from another package. */
  function resolve({ file, name }: Reference): Reference | undefined {
    if (!existsSync(file)) return undefined;
    const { declared, imported } = read(file);
    if (declared.has(name)) return { file, name };
    const target = imported.get(name) ?? exportsOf(file).get(name);
    return target === undefined || (target.file === file && target.name === name)
      ? undefined
      : resolve(target);
  }

  const lines: string[] = [];
  const done = new Set<string>();
  const used: Reference[] = [];
  const print = (reference: Reference, alias: string, keyword: string): void => {
    const target = resolve(reference);
    if (target === undefined) {
      if (keyword === 'export ') lines.push(`export ${alias} from another package`);
      return;
    }
    const key = `${target.file} ${target.name}`;
    if (done.has(key)) {
      if (keyword === 'export ') lines.push(`export ${alias} = ${target.name}`);
      return;
    }
    done.add(key);
    const { declared } = read(target.file);
    for (const { text, node } of declared.get(target.name) ?? []) {
      lines.push(`${keyword}${text}${alias === target.name ? '' : ` as ${alias}`}`);
      used.push(...referencesIn(node, target.file));
    }
  };

  const exported = [...exportsOf(entry)].toSorted(([left], [right]) => (left < right ? -1 : 1));
  for (const [alias, reference] of exported) print(reference, alias, 'export ');
  for (let next = used.shift(); next !== undefined; next = used.shift()) {
    print(next, resolve(next)?.name ?? next.name, '');
  }
  return lines;
}

function readDeclarations(file: string): DeclarationFile {
  const source = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, source);
  const declared = new Map<string, { text: string; node: Node }[]>();
  const imported = new Map<string, Reference>();
  const exported = new Map<string, Reference>();
  const stars: string[] = [];

  const declare = (node: Node): void => {
    const text = withoutComments(source, node, comments);
    for (const name of namesOf(node)) declared.set(name, [...(declared.get(name) ?? []), { text, node }]);
  };

  for (const node of program.body as unknown as Node[]) {
    const from = node['source'] as { readonly value: string } | null | undefined;
    const target =
      from?.value.startsWith('.') === true ? declarationFile(file, from.value) : (from?.value ?? file);
    const specifiers = (node['specifiers'] ?? []) as Record<
      'local' | 'imported' | 'exported',
      Node | undefined
    >[];
    if (node.type === 'ImportDeclaration') {
      for (const { local, imported: name } of specifiers) {
        imported.set(nameOf(local), { file: target, name: nameOf(name ?? local) });
      }
    } else if (node.type === 'ExportAllDeclaration') {
      if (existsSync(target)) stars.push(target);
    } else if (node.type === 'ExportNamedDeclaration') {
      const declaration = node['declaration'] as Node | null;
      if (declaration !== null) {
        declare(declaration);
        for (const name of namesOf(declaration)) exported.set(name, { file, name });
      }
      for (const { local, exported: name } of specifiers) {
        exported.set(nameOf(name), { file: target, name: nameOf(local) });
      }
    } else declare(node);
  }
  return { declared, imported, exported, stars };
}

function namesOf(node: Node): string[] {
  if (node.type !== 'VariableDeclaration') return [nameOf(node['id'] as Node | undefined)];
  return (node['declarations'] as Node[]).map((each) => nameOf(each['id'] as Node));
}

function nameOf(node: Node | null | undefined): string {
  return stringOf(node?.['name']) || stringOf(node?.['value']);
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function withoutComments(
  source: string,
  { start, end }: Node,
  comments: readonly { readonly start: number; readonly end: number }[],
): string {
  let text = '';
  let position = start;
  for (const comment of comments.filter((each) => each.start >= start && each.end <= end)) {
    text += source.slice(position, comment.start);
    position = comment.end;
  }
  return (text + source.slice(position, end)).replaceAll(/\n\s*(?=\n)/g, '').replace(/^declare /, '');
}

/** Names of types and values that a declaration mentions, `import('./x.ts').Name` included. */
function referencesIn(node: unknown, file: string): Reference[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((each) => referencesIn(each, file));
  const own: Reference[] = [];
  const { type } = node as Node;
  if (type === 'TSImportType') {
    const { source, argument, qualifier } = node as Record<string, Node | undefined>;
    const specifier = nameOf(source ?? (argument?.['literal'] as Node | undefined));
    if (specifier.startsWith('.'))
      own.push({ file: declarationFile(file, specifier), name: nameOf(qualifier) });
  }
  for (const key of ['typeName', 'exprName', 'expression', 'superClass', 'left']) {
    const name = nameOf((node as Record<string, Node | undefined>)[key]);
    if (name !== '') own.push({ file, name });
  }
  return [...own, ...Object.values(node).flatMap((each) => referencesIn(each, file))];
}

function declarationFile(from: string, specifier: string): string {
  return join(dirname(from), specifier.replace(/\.(?:ts|tsx|js)$/, '.d.ts'));
}
