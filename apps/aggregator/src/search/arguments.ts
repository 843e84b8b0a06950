import { isObject } from '@deskside/core/base';
import { UserError } from '@deskside/core';
import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';

const MAX_PROBLEM_CODE_POINTS = 300;

/** Their members have names of the server, not of JSON Schema. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** A server could choose an expression that needs years for a text. */
const EXPRESSIONS = ['pattern', 'patternProperties', 'format'];
/** Without its expressions a schema accepts more: then these would reject what is valid. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...EXPRESSIONS,
  'not',
  'oneOf',
  'if',
  'maxContains',
  'unevaluatedProperties',
  'unevaluatedItems',
]);
/** They depend on `patternProperties`. */
const CLOSED: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties']);

/**
 * Checks arguments by the schema of a tool, before its server is started for them. What only an expression can decide, and a
 * schema that cannot be used, are left to the server.
 *
 * @throws UserError INVALID_ARGUMENT
 */
export function checkArguments(
  inputSchema: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>>,
): void {
  const problem = problemOf(inputSchema, args);
  if (problem === undefined) return;
  throw new UserError({
    error: `Invalid arguments: ${escapeInvisible(truncateCodePoints(problem, MAX_PROBLEM_CODE_POINTS))}`,
    code: 'INVALID_ARGUMENT',
    hint: 'Use the inputSchema of the tool.',
  });
}

function problemOf(inputSchema: Readonly<Record<string, unknown>>, args: unknown): string | undefined {
  try {
    const text = JSON.stringify(inputSchema);
    const hasExpressions = EXPRESSIONS.some((name) => text.includes(`"${name}":`));
    // The validator writes into the schema.
    const schema = hasExpressions ? withoutExpressions(inputSchema) : structuredClone(inputSchema);
    // All problems: the first one says only in which object the wrong argument is.
    const result = new CfWorkerJsonSchemaValidator({ shortcircuit: false }).getValidator(schema)(args);
    return result.valid ? undefined : result.errorMessage;
  } catch {
    return undefined;
  }
}

function withoutExpressions(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isOpen = schema['patternProperties'] !== undefined;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !LEFT_OUT.has(key) && !(isOpen && CLOSED.has(key)))
      .map(([key, value]) => [key, NAMED.has(key) ? named(value) : inner(value)]),
  );
}

function named(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inner(schema)]));
}

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner);
  return isObject(value) ? withoutExpressions(value) : value;
}
