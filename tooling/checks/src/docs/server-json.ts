import type { Options, Setting } from '@deskside/core/program';
import * as z from 'zod';

type Entry = Readonly<Record<string, unknown>>;

/**
 * The manifest for the MCP registry with the version of the package and all settings of the program as environment
 * variables. Name, title and description stay.
 *
 * @param hasFile true for a program with settings in a file: variables replace them, so that a client that sets each
 *   variable to its default would switch the file off
 */
export function serverJson(
  text: string,
  version: string,
  { programs, hasFile }: { readonly programs: readonly Options[]; readonly hasFile: boolean },
): string {
  const manifest = JSON.parse(text) as Entry & { readonly packages: readonly Entry[] };
  const environmentVariables = programs.flatMap(({ settings, schema }) =>
    settings.flatMap((setting) => {
      const field: unknown = schema.shape[setting.key];
      return setting.env === undefined ? [] : variable(setting, valueOf(field as z.ZodType), hasFile);
    }),
  );
  const packages = manifest.packages.map((each) =>
    Object.assign({}, each, { version, environmentVariables }),
  );
  return `${JSON.stringify({ ...manifest, version, packages }, null, 2)}\n`;
}

/** A default that differs between machines or programs is a part of the description. */
function variable(setting: Setting, { type, choices }: Value, hasFile: boolean): Entry {
  const { env, placeholder, description, defaultText, default: fallback, isSecret } = setting;
  const isPath = placeholder === 'FILE' || placeholder === 'FOLDER';
  const value = z.union([z.string(), z.number(), z.boolean()]).safeParse(fallback).data?.toString() ?? '';
  const isListed = defaultText === undefined && value !== '' && !hasFile;
  const shownDefault = isListed ? '' : (defaultText ?? value);
  return {
    name: env,
    description: shownDefault === '' ? description : `${description} Default: ${shownDefault}.`,
    isRequired: false,
    format: isPath ? 'filepath' : type,
    ...(isListed ? { default: value } : {}),
    ...(choices === undefined ? {} : { choices }),
    ...(isSecret ? { isSecret } : {}),
  };
}

interface Value {
  readonly type: 'string' | 'number' | 'boolean';
  readonly choices: readonly string[] | undefined;
}

const jsonSchema = z.object({ type: z.string().optional(), enum: z.array(z.string()).optional() });

/** What Zod knows of a field: a list or a URL is a text in the environment. */
function valueOf(field: z.ZodType): Value {
  const schema = z.toJSONSchema(field, { io: 'output', unrepresentable: 'any' });
  const { type, enum: choices } = jsonSchema.parse(schema);
  if (type === 'boolean') return { type, choices };
  return { type: type === 'number' || type === 'integer' ? 'number' : 'string', choices };
}
