import type * as z from 'zod';
import { messageOf } from '../errors/index.ts';
import { jsonSchema } from './json-schema.ts';
import { definitionOf, firstOfChildren, nodeProblem, type SchemaProblem } from './schema-tree.ts';

/** Finds out whether a schema can check arguments: JSON Schema can express it, and nothing in it is asynchronous. */
export function inputProblem(schema: z.core.$ZodType): SchemaProblem | undefined {
  return nodeProblem(schema, asynchronous) ?? jsonProblem(schema);
}

/** Finds out whether a schema can encode answers: everything in it works from what `run` returns to JSON. */
export function outputProblem(schema: z.core.$ZodType): SchemaProblem | undefined {
  return (
    nodeProblem(schema, (node) => asynchronous(node) ?? oneWay(node) ?? ambiguous(node)) ??
    jsonProblem(schema)
  );
}

function jsonProblem(schema: z.core.$ZodType): SchemaProblem | undefined {
  const problem = jsonError(schema);
  return problem === undefined ? undefined : (culprit(schema, '', new Set()) ?? { field: '', problem });
}

function jsonError(schema: z.core.$ZodType): string | undefined {
  try {
    jsonSchema(schema);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The innermost schema that fails: all around it fail with it, also those that contain themselves. */
function culprit(schema: z.core.$ZodType, field: string, seen: Set<unknown>): SchemaProblem | undefined {
  seen.add(schema);
  // Checks have the form of schemas, and no JSON Schema.
  const checks = new Set<unknown>(schema._zod.def.checks);
  let isInnermost = true;
  const inner = firstOfChildren(schema, field, (child, name) => {
    if (checks.has(child) || jsonError(child) === undefined) return undefined;
    isInnermost = false;
    return seen.has(child) ? undefined : culprit(child, name, seen);
  });
  if (inner !== undefined || !isInnermost) return inner;
  return { field, problem: `${jsonError(schema)}${remedyFor(schema)}` };
}

const JSON_TYPES: Readonly<Record<string, string>> = {
  date: 'z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() })',
  bigint: 'z.codec(z.string(), z.bigint(), { decode: BigInt, encode: String })',
  map: 'z.record(), or z.codec() to and from an array',
  set: 'z.array(), or z.codec() to and from an array',
};

function remedyFor(schema: z.core.$ZodType): string {
  const remedy = JSON_TYPES[definitionOf(schema).type ?? ''];
  return remedy === undefined ? '' : `. Use ${remedy}`;
}

/**
 * Finds functions that say `async`. Others may return a promise too, and `superRefine` hides its function: then a call
 * fails as an internal error, and the log has Zod's message.
 */
function asynchronous(node: z.core.$ZodType): string | undefined {
  const { fn, transform, reverseTransform } = definitionOf(node);
  const functions = [fn, transform, reverseTransform, 'check' in node._zod ? node._zod.check : undefined];
  return functions.some(isAsync)
    ? 'Asynchronous checks and transforms are not supported. Check it in run() instead'
    : undefined;
}

function isAsync(value: unknown): boolean {
  return typeof value === 'function' && Object.prototype.toString.call(value) === '[object AsyncFunction]';
}

const ONE_WAY_TYPES: Readonly<Record<string, string>> = {
  catch: 'It has a fallback, which hides wrong answers. Return the fallback from run()',
  prefault: 'It has a prefault, which is for arguments. Use default()',
  transform: 'It has a transform without an inverse. Use z.codec(), or change the value in run()',
};

function oneWay(node: z.core.$ZodType): string | undefined {
  const { type = '', coerce } = definitionOf(node);
  return coerce === true ? 'It has a coercion. Convert the value in run()' : ONE_WAY_TYPES[type];
}

/** An answer is encoded by the first member that accepts it, and this removes the fields that the member does not declare. */
function ambiguous(node: z.core.$ZodType): string | undefined {
  const { type, discriminator } = definitionOf(node);
  if (type !== 'union' || discriminator !== undefined) return undefined;
  const objects = membersOf(node).filter((member) => OBJECT_TYPES.has(definitionOf(member).type ?? ''));
  const removesFields = objects.some((member) => {
    const { type: kind, catchall } = definitionOf(member);
    return kind !== 'record' && catchall === undefined;
  });
  return objects.length > 1 && removesFields
    ? 'A union of objects needs a discriminator or strict members. Use z.discriminatedUnion() or z.strictObject()'
    : undefined;
}

const OBJECT_TYPES: ReadonlySet<string> = new Set(['object', 'record', 'intersection']);

/** The members of a union and of unions inside it, without wrappers such as `optional`. */
function membersOf(node: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { options, innerType } = definitionOf(node);
  if (options !== undefined) return options.flatMap(membersOf);
  return innerType === undefined ? [node] : membersOf(innerType);
}
