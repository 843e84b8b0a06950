/**
 * The line of a key in a TOML file: the key itself, else the table that contains it, else 1. The parser does not report
 * positions of values.
 *
 * @param path for example `['mounts', 'todo', 'database']`
 */
export function lineOf(text: string, path: readonly string[]): number {
  let table: readonly string[] = [];
  let best = { line: 1, depth: 0 };
  for (const [index, line] of text.split('\n').entries()) {
    const [, header] = /^\s*\[\[?\s*([^\]]+?)\s*\]/.exec(line) ?? [];
    const [, key] = /^\s*((?:"[^"]*"|'[^']*'|[\w.-]|\s*\.\s*)+?)\s*=/.exec(line) ?? [];
    if (header !== undefined) table = partsOf(header);
    const found = header === undefined && key !== undefined ? [...table, ...partsOf(key)] : table;
    const depth = commonDepth(found, path);
    // A key that leaves the path says nothing about it.
    if (depth > best.depth && (depth === found.length || depth === path.length))
      best = { line: index + 1, depth };
  }
  return best.line;
}

function partsOf(key: string): readonly string[] {
  return (key.match(/"[^"]*"|'[^']*'|[\w-]+/g) ?? []).map((part) => part.replaceAll(/^["']|["']$/g, ''));
}

function commonDepth(found: readonly string[], path: readonly string[]): number {
  const differs = found.findIndex((part, index) => part !== path[index]);
  return differs === -1 ? found.length : differs;
}
