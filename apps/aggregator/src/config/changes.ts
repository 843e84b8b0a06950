import { isObject } from '@deskside/core/base';
import { builtInOptions, type MountSettings } from '../mounts/built-in.ts';
import {
  HIDDEN,
  shownArguments,
  shownUrl,
  type ExternalServer,
  withoutUndefined,
} from '@deskside/gateway/config';
import type { DeskConfig } from './desk-file.ts';

/**
 * What differs between two configurations, a line each: `+ mounts.weather.module = "@acme/weather"`, `- …`, `~ …`.
 */
export function changesBetween(before: DeskConfig, after: DeskConfig): readonly string[] {
  const [former, next] = [flat(before), flat(after)];
  const [shownFormer, shownNext] = [flat(forPeople(before)), flat(forPeople(after))];
  const keys = [...new Set([...former.keys(), ...next.keys()])].toSorted();
  return keys.flatMap((key) => {
    if (former.get(key) === next.get(key)) return [];
    const [was, is] = [shownFormer.get(key), shownNext.get(key)];
    if (was === undefined) return [`+ ${key} = ${is}`];
    if (is === undefined) return [`- ${key} = ${was}`];
    if (is === HIDDEN) return [`~ ${key} = ${HIDDEN}`];
    return [`~ ${key} = ${is} ${was === is ? '(changed where it is not shown)' : `(was ${was})`}`];
  });
}

const builtIn = await builtInOptions();

function forPeople(config: DeskConfig): DeskConfig {
  const { phone } = config;
  const settings = Object.entries(config.settings).map(([id, own]) => [id, shownSettings(id, own)]);
  const external = Object.entries(config.external).map(([id, server]) => [id, withoutSecrets(server)]);
  // The topic is shown: the person decides where questions go.
  const secrets = hidden(withoutUndefined({ token: phone?.token, reply_token: phone?.reply_token }));
  return {
    ...config,
    settings: Object.fromEntries(settings),
    external: Object.fromEntries(external),
    ...(phone && { phone: { ...phone, ...secrets } }),
  };
}

/** As `doctor` shows them: of a URL only where it is. */
function shownSettings(id: string, own: MountSettings): MountSettings {
  const known = builtIn[id]?.settings ?? [];
  const shown = Object.entries(own).map(([key, value]) => {
    if (known.some((each) => each.key === key && each.isSecret)) return [key, HIDDEN];
    const isAddress = typeof value === 'string' && value.includes('://') && !/^\s*file:/i.test(value);
    return [key, isAddress ? shownUrl(value) : value];
  });
  return Object.fromEntries(shown);
}

/** A value that names where the secret is: `Bearer ${env:TOKEN}`. */
function isReference(value: string): boolean {
  return /^(?:\w+ )?\$\{(?:env|file):[^{}]+\}$/.test(value);
}

/** A server for people: without values of variables, headers and secret flags; of its URL only where it is. */
export function withoutSecrets(server: ExternalServer): ExternalServer {
  if ('url' in server) {
    const { url, headers } = server;
    return { ...server, url: shownUrl(url), ...(headers && { headers: hidden(headers) }) };
  }
  const { args, env } = server;
  return {
    ...server,
    ...(args && { args: [...shownArguments(args)] }),
    ...(env && { env: hidden(env) }),
  };
}

function hidden(table: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(table);
  return Object.fromEntries(entries.map(([name, value]) => [name, isReference(value) ? value : HIDDEN]));
}

/** The settings by their paths; values as JSON. */
function flat(config: DeskConfig): ReadonlyMap<string, string> {
  const { settings, modules, external, profiles, approvals, clients, phone } = config;
  const found = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    const fields = isObject(value) ? Object.entries(value) : [];
    if (fields.length === 0) found.set(path, value === HIDDEN ? HIDDEN : JSON.stringify(value));
    for (const [key, field] of fields) add(`${path}.${key}`, field);
  };
  for (const [id, mount] of Object.entries({ ...settings, ...modules })) add(`mounts.${id}`, mount);
  for (const [id, server] of Object.entries(external)) add(`mcpServers.${id}`, server);
  for (const [name, profile] of profiles) add(`profiles.${name}`, profile);
  for (const [name, level] of clients) add(`clients.${name}.approvals`, level);
  if (approvals !== undefined) add('approvals', approvals);
  if (phone !== undefined) add('phone', phone);
  return found;
}
