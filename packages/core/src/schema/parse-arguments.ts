import type { z } from 'zod';
import { ToolError } from '../results/tool-error.ts';
import { visible } from '../log/visible.ts';
import { jsonSchema } from './json-schema.ts';

/** @throws ToolError INVALID_ARGUMENT that names the first argument that does not fit, and what would. */
export function parseArguments<Input extends z.ZodObject>(input: Input, args: unknown): z.output<Input> {
  const parsed = input.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  throw new ToolError({
    error:
      path === ''
        ? 'The arguments are no object.'
        : `Invalid "${visible(path)}": ${visible(issue?.message ?? '')}.`,
    code: 'INVALID_ARGUMENT',
    hint: hintFor(input, issue?.path[0]),
  });
}

function hintFor(input: z.ZodObject, name: PropertyKey | undefined): string {
  const field = name === undefined ? undefined : input.shape[String(name)];
  if (field === undefined) return "Pass an object with the arguments of the tool's input schema.";
  const { description, ...schema } = jsonSchema(field);
  const described = typeof description === 'string' ? `${description} ` : '';
  return `${described}Schema: ${JSON.stringify(schema)}`;
}
