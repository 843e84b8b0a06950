import * as z from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

const converted = new WeakMap<z.core.$ZodType, JsonSchema>();

/**
 * Converts a schema's input side to JSON Schema 2020-12. The result is cached, because a conversion costs more than
 * most answers. Keys of `.meta({...})` override what Zod derives, so a schema can state a contract word for word.
 *
 * @throws Error if JSON Schema cannot express the schema
 */
export function jsonSchema(schema: z.core.$ZodType): JsonSchema {
  const cached = converted.get(schema);
  if (cached !== undefined) return cached;
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

/** Writes nullable types as a type list, and removes bounds that only mean "a JavaScript integer". */
function simplify(node: Record<string, unknown>): void {
  if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete node['minimum'];
  if (node['maximum'] === Number.MAX_SAFE_INTEGER) delete node['maximum'];
  const [value, none, ...others] = Array.isArray(node['anyOf']) ? node['anyOf'] : [];
  if (none?.type !== 'null' || others.length > 0 || typeof value?.type !== 'string') return;
  delete node['anyOf'];
  const description = node['description'] === undefined ? {} : { description: node['description'] };
  Object.assign(node, value, { type: [value.type, 'null'] }, description);
}

/** What makes a schema unusable, and where. */
export interface SchemaProblem {
  /** Path of the field, such as `filter.since`; empty for the schema itself. */
  readonly field: string;
  readonly problem: string;
}

/** Finds out whether a schema can check arguments: JSON Schema can express it, and nothing in it is asynchronous. */
export function inputProblem(schema: z.core.$ZodType): SchemaProblem | undefined {
  return jsonProblem(schema, '') ?? nodeProblem(schema, asynchronous);
}

/** Finds out whether a schema can describe answers, which are sent as the tool returns them. */
export function outputProblem(schema: z.core.$ZodType): SchemaProblem | undefined {
  return jsonProblem(schema, '') ?? nodeProblem(schema, (node) => asynchronous(node) ?? changing(node));
}

function jsonProblem(schema: z.core.$ZodType, field: string): SchemaProblem | undefined {
  try {
    jsonSchema(schema);
    return undefined;
  } catch (error) {
    return (
      firstOfChildren(schema, field, jsonProblem) ?? {
        field,
        problem: error instanceof Error ? error.message : String(error),
      }
    );
  }
}

/** What Zod's schemas and checks may have besides other schemas. */
interface Definition {
  readonly type?: string;
  readonly coerce?: boolean;
  readonly fn?: unknown;
  readonly transform?: unknown;
}

function definitionOf(node: z.core.$ZodType): Definition {
  return node._zod.def;
}

type Check = (node: z.core.$ZodType) => string | undefined;

/** Looks at every schema and check inside a schema, once. It runs at every start, so it creates few objects. */
function nodeProblem(schema: z.core.$ZodType, check: Check): SchemaProblem | undefined {
  const seen = new Set<unknown>();
  const visit = (node: z.core.$ZodType, field: string): SchemaProblem | undefined => {
    if (seen.has(node)) return undefined;
    seen.add(node);
    const problem = check(node);
    return problem === undefined ? firstOfChildren(node, field, visit) : { field, problem };
  };
  return visit(schema, '');
}

/**
 * Finds functions that say `async`. Others may return a promise too, and `superRefine` hides its function: then a call
 * fails as an internal error, and the log has Zod's message.
 */
function asynchronous(node: z.core.$ZodType): string | undefined {
  const { fn, transform } = definitionOf(node);
  const isFound = isAsync(fn) || isAsync(transform) || ('check' in node._zod && isAsync(node._zod.check));
  return isFound
    ? 'Asynchronous checks and transforms are not supported. Check it in run() instead'
    : undefined;
}

function isAsync(value: unknown): boolean {
  return typeof value === 'function' && Object.prototype.toString.call(value) === '[object AsyncFunction]';
}

const CHANGING_TYPES: Readonly<Record<string, string>> = {
  catch: 'a fallback',
  default: 'a default',
  pipe: 'a transform',
  prefault: 'a default',
  transform: 'a transform',
};

function changing(node: z.core.$ZodType): string | undefined {
  const { type = '', coerce } = definitionOf(node);
  const change = coerce === true ? 'a coercion' : CHANGING_TYPES[type];
  return change === undefined
    ? undefined
    : `It has ${change}, but answers are sent as run() returns them. Describe what run() returns`;
}

type Find = (child: z.core.$ZodType, field: string) => SchemaProblem | undefined;

/** Only the children of an object have a name. Schemas and checks have the same form. */
function firstOfChildren(node: z.core.$ZodType, field: string, find: Find): SchemaProblem | undefined {
  if (definitionOf(node).type === 'lazy' && 'innerType' in node._zod) {
    return isSchema(node._zod.innerType) ? find(node._zod.innerType, field) : undefined;
  }
  const parts: Record<string, unknown> = { ...node._zod.def };
  for (const key in parts) {
    const value = parts[key];
    if (typeof value !== 'object' || value === null) continue;
    if (isSchema(value)) {
      const found = find(value, field);
      if (found !== undefined) return found;
    } else if (key === 'shape' || Array.isArray(value)) {
      const found = firstOf(value, field, find);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function firstOf(children: object, field: string, find: Find): SchemaProblem | undefined {
  const isList = Array.isArray(children);
  for (const [name, child] of Object.entries(children)) {
    if (!isSchema(child)) continue;
    const found = find(child, isList ? field : join(field, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

function join(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}
