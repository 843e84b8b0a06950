import type { DeskConfig } from './desk-file.ts';

/**
 * What differs between two configurations, a line each: `+ mounts.weather.module = "@acme/weather"`, `- …`, `~ …`.
 */
export function changesBetween(before: DeskConfig, after: DeskConfig): readonly string[] {
  const [old, next] = [flat(before), flat(after)];
  const keys = [...new Set([...old.keys(), ...next.keys()])].toSorted();
  return keys.flatMap((key) => {
    const [was, is] = [old.get(key), next.get(key)];
    if (was === is) return [];
    if (SECRET.test(key))
      return [`${was === undefined ? '+' : is === undefined ? '-' : '~'} ${key} = <hidden>`];
    if (was === undefined) return [`+ ${key} = ${is}`];
    return [is === undefined ? `- ${key} = ${was}` : `~ ${key} = ${is} (was ${was})`];
  });
}

/** Values that may be passwords and tokens. */
const SECRET = /^mcpServers\.[^.]+\.(?:env|headers)\./;

/** The settings by their paths; values as JSON. */
function flat({ settings, modules, external, profiles }: DeskConfig): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    const fields = isTable(value) ? Object.entries(value) : [];
    if (fields.length === 0) found.set(path, JSON.stringify(value));
    for (const [key, field] of fields) add(`${path}.${key}`, field);
  };
  for (const [id, mount] of Object.entries({ ...settings, ...modules })) add(`mounts.${id}`, mount);
  for (const [id, server] of Object.entries(external)) add(`mcpServers.${id}`, server);
  for (const [name, profile] of profiles) add(`profiles.${name}`, profile);
  return found;
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
