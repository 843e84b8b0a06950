import * as z from 'zod';
import { getOrAdd } from '../base/values.ts';
import { hasDefault, isSchema } from './schema-tree.ts';

/** An answer that its own schema rejects: a defect of the tool. */
export class InvalidOutput extends Error {
  override readonly name = 'InvalidOutput';
  /** Path of the field; empty for the answer itself. */
  readonly field: string;

  constructor({ path, message }: Pick<z.core.$ZodIssue, 'path' | 'message'>) {
    const field = path.map(String).join('.');
    super(field === '' ? message : `"${field}": ${message}`);
    this.field = field;
  }
}

/**
 * Turns what a tool returns into JSON: codecs are encoded, fields that the schema does not declare are removed, and missing
 * fields get their default.
 *
 * @throws InvalidOutput
 */
export function encodeOutput(output: z.core.$ZodType, value: unknown): unknown {
  const { data, error } = z.safeEncode(encoderOf(output), value);
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) throw new InvalidOutput(issue);
  return data;
}

const encoders = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

function encoderOf(output: z.core.$ZodType): z.core.$ZodType {
  return getOrAdd(encoders, output, () => (hasDefault(output) ? withDefaults(output, new Map()) : output));
}

type Copies = Map<z.core.$ZodType, z.core.$ZodType>;

/** A copy of a schema that uses defaults while it encodes, too. Zod uses them only while it parses. */
function withDefaults(schema: z.core.$ZodType, copies: Copies): z.core.$ZodType {
  const known = copies.get(schema);
  if (known !== undefined) return known;
  // For a schema that contains itself.
  const later = z.lazy(() => copies.get(schema) ?? schema);
  copies.set(schema, later);
  const copyOf = (part: unknown): unknown => {
    if (isSchema(part)) return withDefaults(part, copies);
    return Array.isArray(part) ? part.map(copyOf) : part;
  };
  const { def } = schema._zod;
  const changed: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(def)) {
    if (key === 'shape')
      changed[key] = Object.fromEntries(Object.entries(part).map(([name, field]) => [name, copyOf(field)]));
    else if (key === 'getter') changed[key] = () => copyOf(part());
    else if (key !== 'checks') changed[key] = copyOf(part);
  }
  const copy = z.clone(schema, { ...def, ...changed });
  if (isDefault(copy) && isDefault(schema)) fillWhileEncoding(copy, schema);
  copies.set(schema, copy);
  return copy;
}

function isDefault(schema: z.core.$ZodType): schema is z.core.$ZodDefault {
  return schema._zod.def.type === 'default';
}

/** @param original its default may be a function; the copy has only the first value */
function fillWhileEncoding({ _zod: internals }: z.core.$ZodDefault, original: z.core.$ZodDefault): void {
  const { run } = internals;
  internals.run = (payload, context) => {
    if (payload.value === undefined && context.direction === 'backward')
      payload.value = original._zod.def.defaultValue;
    return run(payload, context);
  };
}
