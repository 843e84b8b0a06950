import type { SchemaProblem } from '../schemas/schema-tree.ts';

/** What the specification says of tool names (SEP-986). It has no rule for prompts, so they get the same one. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** @throws Error if hosts would reject the name of this tool or prompt */
export function checkName(kind: 'Tool' | 'Prompt', name: string): void {
  if (NAME.test(name)) return;
  throw new Error(
    `${kind} ${JSON.stringify(name)} has an invalid name. Use 1 to 128 letters (A-Z, a-z), digits, "_", "-" and ".".`,
  );
}

/**
 * @param subject what the schema belongs to, for example `Tool "add": input`
 * @throws Error if there is a problem
 */
export function checkSchema(subject: string, found: SchemaProblem | undefined): void {
  if (found === undefined) return;
  const { field, problem } = found;
  throw new Error(`${subject}${field === '' ? '' : ` "${field}"`} cannot work: ${problem}.`);
}

/** @throws Error if clients could not parse the URI of this resource */
export function checkUri(uri: string): void {
  if (URL.canParse(uri)) return;
  throw new Error(
    `Resource ${JSON.stringify(uri)} has an invalid URI. Use a scheme and a path, for example notes://list.`,
  );
}

/** @throws Error if a completer belongs to an argument or variable that does not exist */
export function checkCompleters(
  owner: string,
  complete: Readonly<Record<string, unknown>> | undefined,
  names: readonly string[],
): void {
  const unknown = Object.keys(complete ?? {}).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new Error(`${owner} completes "${unknown}", which it does not have. It has: ${names.join(', ')}.`);
}

/**
 * Returns the items by key.
 *
 * @throws Error if two items have the same key
 */
export function indexBy<Item>(
  what: string,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, Item> {
  const index = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (index.has(key)) throw new Error(`Two ${what} ${JSON.stringify(key)}. Change one.`);
    index.set(key, item);
  }
  return index;
}
