import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import ts from 'typescript-5';

const options: ts.CompilerOptions = { noLib: true, types: [] };
const host = ts.createCompilerHost(options);
// Other packages are not part of a pin.
host.resolveModuleNameLiterals = (literals, from) =>
  literals.map(({ text }) => {
    const resolvedFileName = join(dirname(from), text.replace(/\.(?:ts|tsx|js)$/, '.d.ts'));
    const resolvedModule = { resolvedFileName, extension: ts.Extension.Dts };
    return { resolvedModule: text.startsWith('.') ? resolvedModule : undefined };
  });

/**
 * Everything that a public entry exports, as declarations without comments: the exported ones, then those that their
 * types use.
 *
 * @param entry a `.d.ts` file
 */
export function publicDeclarations(entry: string): string[] {
  const program = ts.createProgram([entry], options, host);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  const original = (symbol: ts.Symbol) =>
    (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);

  const lines: string[] = [];
  const done = new Set<ts.Symbol>();
  const used: ts.Symbol[] = [];
  const collect = (node: ts.Node): void => {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    if (symbol !== undefined) used.push(original(symbol));
    ts.forEachChild(node, collect);
  };
  const print = (symbol: ts.Symbol, keyword: string, alias = symbol.name): void => {
    done.add(symbol);
    for (const node of statementsOf(symbol)) {
      const name = alias === symbol.name ? '' : ` as ${alias}`;
      lines.push(`${keyword}${textOf(node).replace(/^(?:export )?(?:declare )?/, '')}${name}`);
      collect(node);
    }
  };

  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  for (const symbol of exported.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const target = original(symbol);
    if (statementsOf(target).length === 0) lines.push(`export ${symbol.name} from another package`);
    else if (done.has(target)) lines.push(`export ${symbol.name} = ${target.name}`);
    else print(target, 'export ', symbol.name);
  }
  for (let next = used.shift(); next !== undefined; next = used.shift()) if (!done.has(next)) print(next, '');
  return lines;
}

/** The statements of a file that declare a name; empty for a member, a type parameter or a name of another package. */
function statementsOf({ declarations = [] }: ts.Symbol): ts.Node[] {
  return declarations
    .map((node) => (ts.isVariableDeclaration(node) ? node.parent.parent : node))
    .filter((node) => !ts.isSourceFile(node) && ts.isSourceFile(node.parent));
}

function textOf(node: ts.Node): string {
  const { fileName, text: source } = node.getSourceFile();
  let text = '';
  let position = node.getStart();
  for (const comment of parseSync(fileName, source).comments) {
    if (comment.start < position || comment.end > node.end) continue;
    text += source.slice(position, comment.start);
    position = comment.end;
  }
  return (text + source.slice(position, node.end)).replaceAll(/\n\s*(?=\n)/g, '');
}
