import * as z from 'zod';
import { isObject } from '../base/values.ts';
import { encodeOutput } from './encode.ts';
import { definitionOf } from './schema-tree.ts';

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
      // Zod lists neither for a schema with a transform.
      const { default: fallback, examples }: JsonSchema = z.globalRegistry.get(zodSchema) ?? {};
      if (fallback !== undefined) node['default'] = fallback;
      if (Array.isArray(examples)) node['examples'] = examples;
      removeForeignPatterns(zodSchema, node);
      simplify(node, side);
    },
  });
  // Only one that the author states, as any key of `.meta()`.
  const { $schema: stated } = z.globalRegistry.get(schema) ?? {};
  const listed = stated === undefined ? json : { $schema: stated, ...json };
  converted[side].set(schema, listed);
  return listed;
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

/** JSON Schema reads patterns as Unicode and without flags: it would reject what such a pattern accepts. */
function removeForeignPatterns(schema: z.core.$ZodType, node: Record<string, unknown>): void {
  if (!['pattern', 'allOf', 'anyOf'].some((key) => key in node)) return;
  const foreign = new Set<unknown>(foreignPatterns(schema));
  if (foreign.size === 0) return;
  const members: readonly Record<string, unknown>[] = Array.isArray(node['anyOf']) ? node['anyOf'] : [];
  for (const part of [node, ...members]) {
    if (foreign.has(part['pattern'])) delete part['pattern'];
    if (!Array.isArray(part['allOf'])) continue;
    const all: readonly unknown[] = part['allOf'];
    const others = all.filter((each) => !isObject(each) || !foreign.has(each['pattern']));
    if (others.length === 0) delete part['allOf'];
    else part['allOf'] = others;
  }
}

function foreignPatterns(schema: z.core.$ZodType): readonly string[] {
  const { innerType, options } = definitionOf(schema);
  if (innerType !== undefined) return foreignPatterns(innerType);
  if (options !== undefined) return options.flatMap(foreignPatterns);
  const { def } = schema._zod;
  return [def, ...(def.checks ?? []).map((check) => check._zod.def)]
    .map((each): unknown => ('pattern' in each ? each.pattern : undefined))
    .filter((pattern): pattern is RegExp => pattern instanceof RegExp && !isPortable(pattern))
    .map(({ source }) => source);
}

function isPortable({ source, flags }: RegExp): boolean {
  if (/[imsv]/.test(flags)) return false;
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Writes nullable types as a type list, and removes what says nothing or says it twice. */
function simplify(node: Record<string, unknown>, side: Side): void {
  // These bounds only mean "a JavaScript integer".
  if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete node['minimum'];
  if (node['maximum'] === Number.MAX_SAFE_INTEGER) delete node['maximum'];
  // Validators divide floating-point numbers: 0.07 would be no multiple of 0.01.
  if (typeof node['multipleOf'] === 'number' && !Number.isInteger(node['multipleOf']))
    delete node['multipleOf'];
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

/** A pattern beside a format tells a model little, and is long. Examples show arguments that have to be narrower than the format. */
function simplifyFormat(node: Record<string, unknown>, side: Side): void {
  const { format, pattern } = node;
  if (typeof format !== 'string') return;
  const examples = FORMATS[format];
  if (examples === undefined) delete node['format'];
  else if (typeof pattern === 'string') {
    const accepted = examples.filter((example) => new RegExp(pattern, 'u').test(example));
    if (side === 'input' && accepted.length < examples.length) node['examples'] ??= accepted;
    delete node['pattern'];
  }
}
