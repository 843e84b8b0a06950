import type { Tool } from '@modelcontextprotocol/client';

const COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'not', '$ref'];
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What hosts or models would stumble over in a tool's listing, one sentence each. */
export function schemaProblems({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: Tool): string[] {
  return [
    ...(title === undefined || title === name ? [`${name} has no title`] : []),
    ...(description === undefined || description.length < 10 ? [`${name} has no description`] : []),
    ...HINTS.filter((hint) => typeof annotations?.[hint] !== 'boolean').map(
      (hint) => `${name} lacks ${hint}`,
    ),
    ...[inputSchema, outputSchema].flatMap((schema) => topLevelProblems(name, schema)),
    ...Object.entries(inputSchema.properties ?? {})
      .filter(([, property]) => !isDescribed(property))
      .map(([property]) => `${name}: ${property} is not described`),
  ];
}

function topLevelProblems(name: string, schema: Record<string, unknown> | undefined): string[] {
  if (schema === undefined) return [];
  return [
    ...COMBINATORS.filter((key) => key in schema).map((key) => `${name}: ${key} at the top of a schema`),
    ...('$schema' in schema ? [`${name}: a dialect that some hosts refuse`] : []),
  ];
}

function isDescribed(property: unknown): boolean {
  return typeof property === 'object' && property !== null && 'description' in property;
}
