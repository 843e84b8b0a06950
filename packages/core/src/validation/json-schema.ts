import * as z from 'zod';
import { encodeOutput } from './encode.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Arguments that a tool receives, or answers that it sends. */
export type Side = 'input' | 'output';

const converted = {
  input: new WeakMap<z.core.$ZodType, JsonSchema>(),
  output: new WeakMap<z.core.$ZodType, JsonSchema>(),
};

/**
 * Converts what is sent over the wire (of a codec: its input) to JSON Schema 2020-12. It accepts everything that the Zod
 * schema accepts. The result is cached, because a conversion costs more than most answers. Keys of `.meta({...})` override
 * what Zod derives, so a schema can state a contract word for word.
 *
 * @throws Error if JSON Schema cannot express the schema
 */
export function jsonSchema(schema: z.core.$ZodType, side: Side = 'input'): JsonSchema {
  const cached = converted[side].get(schema);
  if (cached !== undefined) return cached;
  const {
    $schema: _,
    '~standard': __,
    ...json
  } = z.toJSONSchema(schema, {
    io: 'input',
    override({ zodSchema, jsonSchema: node }) {
      const { def } = zodSchema._zod;
      if (def.type === 'default') node['default'] = encodedDefault(def, node['default']);
      simplify(node, side);
    },
  });
  converted[side].set(schema, json);
  return json;
}

/** @param fallback what Zod lists, which is right without codecs */
function encodedDefault({ innerType, defaultValue }: z.core.$ZodDefaultDef, fallback: unknown): unknown {
  try {
    return encodeOutput(innerType, defaultValue);
  } catch {
    // The schema of an argument may have a transform, which has no inverse.
    return fallback;
  }
}

/** Writes nullable types as a type list, and removes what says nothing or says it twice. */
function simplify(node: Record<string, unknown>, side: Side): void {
  // These bounds only mean "a JavaScript integer".
  if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete node['minimum'];
  if (node['maximum'] === Number.MAX_SAFE_INTEGER) delete node['maximum'];
  simplifyFormat(node, side);
  const [value, none, ...others] = Array.isArray(node['anyOf']) ? node['anyOf'] : [];
  if (none?.type !== 'null' || others.length > 0 || typeof value?.type !== 'string') return;
  // Zod may pass a copy of it before.
  simplify(value, side);
  delete node['anyOf'];
  const description = node['description'] === undefined ? {} : { description: node['description'] };
  const { const: only, enum: several = only === undefined ? undefined : [only], ...rest } = value;
  const values = several === undefined ? {} : { enum: [...several, null] };
  Object.assign(node, rest, { type: [value.type, 'null'] }, values, description);
}

/**
 * The formats of JSON Schema that accept everything that Zod accepts, with values of each. Zod's URLs and durations are
 * wider than those of JSON Schema, and its other formats are unknown there.
 */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  date: ['2024-02-29'],
  'date-time': ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.123Z', '2024-02-29T23:59:59+05:30'],
  email: ['first.last+tag@example.com'],
  hostname: ['example.com'],
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
  uuid: ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', '919108f7-52d1-4320-9bac-f847db4148a8'],
};

/** A pattern beside a format tells a model little, and is long. It stays if arguments have to be narrower than the format. */
function simplifyFormat(node: Record<string, unknown>, side: Side): void {
  const { format, pattern } = node;
  if (typeof format !== 'string') return;
  const examples = FORMATS[format];
  if (examples === undefined) delete node['format'];
  else if (typeof pattern === 'string') {
    const isNarrower = !examples.every((example) => new RegExp(pattern, 'u').test(example));
    if (side === 'output' || !isNarrower) delete node['pattern'];
  }
}
