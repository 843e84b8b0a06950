import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

const converted = new WeakMap<z.ZodType, JsonSchema>();

/**
 * JSON Schema 2020-12 of what goes in, converted once a schema (a conversion costs more than a whole answer).
 * `.meta({...})` keys beat what Zod derives, so a contract's own schema can be stated word for word.
 */
export function jsonSchema(schema: z.ZodType): JsonSchema {
  const kept = converted.get(schema);
  if (kept !== undefined) return kept;
  const {
    $schema: _,
    '~standard': __,
    ...json
  } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema: node }) => simplify(node),
  });
  converted.set(schema, json);
  return json;
}

/** Nullable as a type list, and no bounds that only say "a JavaScript integer". */
function simplify(node: Record<string, unknown>): void {
  if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete node['minimum'];
  if (node['maximum'] === Number.MAX_SAFE_INTEGER) delete node['maximum'];
  const [value, none, ...others] = Array.isArray(node['anyOf']) ? node['anyOf'] : [];
  if (none?.type !== 'null' || others.length > 0 || typeof value?.type !== 'string') return;
  delete node['anyOf'];
  Object.assign(node, value, { type: [value.type, 'null'] }, metaOf(node));
}

function metaOf(node: Record<string, unknown>): Record<string, unknown> {
  return node['description'] === undefined ? {} : { description: node['description'] };
}
