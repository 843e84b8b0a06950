import type * as z from 'zod';
import { version as ownVersion } from 'zod/v4/core';

/** What makes a schema unusable, and where. */
export interface SchemaProblem {
  /** Path of the field, such as `filter.since`; empty for the schema itself. */
  readonly field: string;
  readonly problem: string;
}

/** What Zod's schemas and checks may have besides other schemas. */
interface Definition {
  readonly type?: string;
  readonly coerce?: boolean;
  readonly fn?: unknown;
  readonly transform?: unknown;
  readonly reverseTransform?: unknown;
  readonly discriminator?: string;
  readonly options?: readonly z.core.$ZodType[];
  readonly catchall?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
}

export function definitionOf(node: z.core.$ZodType): Definition {
  return node._zod.def;
}

const { major, minor } = ownVersion;

/**
 * What Zod's own types refuse: a schema of another version, whose parts have other names, or whose descriptions and types would be
 * missing in the listing without a word.
 */
function versionProblem(node: z.core.$ZodType): string | undefined {
  if (!isOfAnyZod(node)) return 'It is not a Zod schema';
  const own = isSchema(node) ? node._zod.version : { major: 3, minor: undefined };
  // Checks have none.
  if (own === undefined || (own.major === major && own.minor === minor)) return undefined;
  const given = [own.major, own.minor].filter((part) => part !== undefined).join('.');
  return `It is a schema of Zod ${given}. Install one version for all packages: npm install zod@^${major}.${minor}.0`;
}

type Check = (node: z.core.$ZodType) => string | undefined;

/** Looks at every schema and check inside a schema, once, also at its version. It runs at every start, so it creates few objects. */
export function nodeProblem(schema: z.core.$ZodType, check: Check): SchemaProblem | undefined {
  const seen = new Set<unknown>();
  const visit = (node: z.core.$ZodType, field: string): SchemaProblem | undefined => {
    if (seen.has(node)) return undefined;
    seen.add(node);
    const problem = versionProblem(node) ?? check(node);
    return problem === undefined ? firstOfChildren(node, field, visit) : { field, problem };
  };
  return visit(schema, '');
}

/** Whether a missing field can get a default somewhere in this schema. */
export function hasDefault(schema: z.core.$ZodType): boolean {
  return (
    nodeProblem(schema, (node) => (definitionOf(node).type === 'default' ? 'default' : undefined)) !==
    undefined
  );
}

type Find = (child: z.core.$ZodType, field: string) => SchemaProblem | undefined;

/** Only the children of an object have a name. Schemas and checks have the same form. */
export function firstOfChildren(node: z.core.$ZodType, field: string, find: Find): SchemaProblem | undefined {
  if (definitionOf(node).type === 'lazy' && 'innerType' in node._zod) {
    return isSchema(node._zod.innerType) ? find(node._zod.innerType, field) : undefined;
  }
  const parts: Record<string, unknown> = { ...node._zod.def };
  for (const key in parts) {
    const value = parts[key];
    if (typeof value !== 'object' || value === null) continue;
    if (isOfAnyZod(value)) {
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
    if (!isOfAnyZod(child)) continue;
    const found = find(child, isList ? field : join(field, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Zod 3 has `_def` alone. */
function isOfAnyZod(value: unknown): value is z.core.$ZodType {
  return isSchema(value) || (typeof value === 'object' && value !== null && '_def' in value);
}

export function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

function join(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}
