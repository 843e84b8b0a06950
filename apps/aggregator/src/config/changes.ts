import { isObject } from '@deskside/core/base';
import type { DeskConfig } from './desk-file.ts';
import type { ExternalServer } from './external.ts';

/**
 * What differs between two configurations, a line each: `+ mounts.weather.module = "@acme/weather"`, `- …`, `~ …`.
 */
export function changesBetween(before: DeskConfig, after: DeskConfig): readonly string[] {
  const [old, next] = [flat(before), flat(after)];
  const keys = [...new Set([...old.keys(), ...next.keys()])].toSorted();
  return keys.flatMap((key) => {
    const [was, is] = [old.get(key), next.get(key)];
    if (was === is) return [];
    const shown = (value: string) => shownValue(key, value);
    if (was === undefined) return is === undefined ? [] : [`+ ${key} = ${shown(is)}`];
    if (is === undefined) return [`- ${key} = ${shown(was)}`];
    const now = shown(is);
    return [`~ ${key} = ${now === HIDDEN ? HIDDEN : `${now} (was ${shown(was)})`}`];
  });
}

const HIDDEN = '<hidden>';

/** Values that may be passwords and tokens. */
const SECRET = /^mcpServers\.[^.]+\.(?:env|headers)\./;
const URL_KEY = /^mcpServers\.[^.]+\.url$/;

function shownValue(key: string, value: string): string {
  if (URL_KEY.test(key)) return withoutQuery(value);
  return SECRET.test(key) && !isReference(value) ? HIDDEN : value;
}

/** A value that names where the secret is: `"Bearer ${env:TOKEN}"`. */
function isReference(json: string): boolean {
  return /^"(?:\w+ )?\$\{(?:env|file):[^{}]+\}"$/.test(json);
}

/** The query of a URL often contains a key. */
function withoutQuery(url: string): string {
  return url.replace(/\?[^"]*/, '?…');
}

/** A server for people: without values of variables and headers, and without the query of its URL. */
export function withoutSecrets(server: ExternalServer): ExternalServer {
  if ('url' in server) {
    const { headers } = server;
    const shown = { ...server, url: withoutQuery(server.url) };
    return headers === undefined ? shown : { ...shown, headers: hidden(headers) };
  }
  return server.env === undefined ? server : { ...server, env: hidden(server.env) };
}

function hidden(table: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(table);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isReference(JSON.stringify(value)) ? value : HIDDEN]),
  );
}

/** The settings by their paths; values as JSON. */
function flat({ settings, modules, external, profiles }: DeskConfig): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    const fields = isObject(value) ? Object.entries(value) : [];
    if (fields.length === 0) found.set(path, JSON.stringify(value));
    for (const [key, field] of fields) add(`${path}.${key}`, field);
  };
  for (const [id, mount] of Object.entries({ ...settings, ...modules })) add(`mounts.${id}`, mount);
  for (const [id, server] of Object.entries(external)) add(`mcpServers.${id}`, server);
  for (const [name, profile] of profiles) add(`profiles.${name}`, profile);
  return found;
}
