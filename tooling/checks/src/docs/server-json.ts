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
      return setting.env === undefined ? [] : variable(setting, field as z.ZodType, hasFile);
    }),
  );
  const packages = manifest.packages.map((each) =>
    Object.assign({}, each, { version, environmentVariables }),
  );
  return `${JSON.stringify({ ...manifest, version, packages }, null, 2)}\n`;
}

const jsonSchema = z.object({ type: z.string().optional(), enum: z.array(z.string()).optional() });
/** By the type of a field. A list or a URL is a text in the environment. */
const FORMATS: Readonly<Record<string, string>> = { boolean: 'boolean', number: 'number', integer: 'number' };

/** A default that differs between machines or programs is a part of the description. */
function variable(setting: Setting, field: z.ZodType, hasFile: boolean): Entry {
  const { env, placeholder, description, defaultText, default: fallback, isSecret } = setting;
  const schema = z.toJSONSchema(field, { io: 'output', unrepresentable: 'any' });
  const { type = '', enum: choices } = jsonSchema.parse(schema);
  const isPath = placeholder === 'FILE' || placeholder === 'FOLDER';
  const value = z.union([z.string(), z.number(), z.boolean()]).safeParse(fallback).data?.toString() ?? '';
  const isListed = defaultText === undefined && value !== '' && !hasFile;
  const shownDefault = isListed ? '' : (defaultText ?? value);
  return {
    name: env,
    description: shownDefault === '' ? description : `${description} Default: ${shownDefault}.`,
    isRequired: false,
    format: isPath ? 'filepath' : (FORMATS[type] ?? 'string'),
    ...(isListed ? { default: value } : {}),
    ...(choices === undefined ? {} : { choices }),
    ...(isSecret ? { isSecret } : {}),
  };
}
