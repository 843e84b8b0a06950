import { isObject } from '@deskside/core/base';
import { SERVER_NAME, type Client } from './client.ts';

/** What deskside.toml accepts of a server: the server, or what is wrong with it. */
export type ReadServer<Server> = (table: Readonly<Record<string, unknown>>) => {
  readonly server?: Server | undefined;
  readonly problems: readonly string[];
};

/** The servers of a client in the form of deskside.toml. */
export interface Imported<Server> {
  /** By an id that deskside.toml accepts. */
  readonly servers: Readonly<Record<string, Server>>;
  /** A sentence per server that is left out. */
  readonly skipped: readonly string[];
}

type Table = Readonly<Record<string, unknown>>;

/**
 * Translates the servers of a client.
 *
 * @param table of the client's file, for example `mcpServers`
 * @param taken ids that exist in deskside.toml
 * @param read checks a translated server
 * @param lists of the file, which disable the servers that one of them names, or that the other one does not name
 */
export function importedServers<Server extends object>(
  client: Client,
  table: Table,
  taken: readonly string[],
  { allowed, excluded }: Table,
  read: ReadServer<Server>,
): Imported<Server> {
  const servers: Record<string, Server> = {};
  const skipped: string[] = [];
  const off: readonly unknown[] = Array.isArray(excluded) ? excluded : [];
  const on: readonly unknown[] = Array.isArray(allowed) ? allowed : [];
  for (const [name, given] of Object.entries(serversOf(client, table))) {
    if (name === SERVER_NAME) continue;
    const id = idOf(name);
    const isOff = off.includes(name) || (on.length > 0 && !on.includes(name));
    const value = isObject(given) && isOff ? { ...given, disabled: true } : given;
    const server = isObject(value) ? translated(client, value, read) : 'it is not a table';
    if (typeof server === 'string') skipped.push(`${name}: ${server}.`);
    else if (taken.includes(id) || Object.hasOwn(servers, id))
      skipped.push(`${name}: "${id}" exists already.`);
    else servers[id] = server;
  }
  return { servers, skipped };
}

/** OpenCode 2 has its servers one table deeper, beside a time limit for all. */
function serversOf({ root }: Client, table: Table): Table {
  const { servers, timeout: _, ...others } = table;
  const isDeeper =
    root === 'mcp' &&
    isObject(servers) &&
    typeof servers['type'] !== 'string' &&
    typeof servers['enabled'] !== 'boolean';
  return isDeeper ? { ...others, ...servers } : table;
}

/** Mount ids are short, because they are part of every tool's name. */
function idOf(name: string): string {
  const id = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/^\d+/, '')
    .slice(0, 16);
  return id === '' || id === 'p' ? 'server' : id;
}

/** @returns why a server is left out, as a part of a sentence */
function translated<Server extends object>(
  client: Client,
  value: Table,
  read: ReadServer<Server>,
): Server | string {
  if (value['disabled'] === true || value['enabled'] === false) return 'it is disabled';
  if (JSON.stringify(value).includes('${input:')) return 'it asks for an input when it starts';
  if (value['envFile'] !== undefined) return 'it reads variables from a file (envFile)';
  if (value['headersHelper'] !== undefined) return 'a program makes its headers (headersHelper)';
  // OpenCode and Kilo have the program and its arguments in one list.
  const { command: given, env = value['environment'], env_vars, cwd } = value;
  const [command, ...behind]: readonly unknown[] = Array.isArray(given) ? given : [given];
  const args = behind.length > 0 ? behind : value['args'];
  const url = value['httpUrl'] ?? value['serverUrl'] ?? value['url'];
  if (command === undefined && url === undefined) return 'it has neither a command nor a URL';
  const limits = toolLimits(value);
  if (isEmptyList(limits.include)) return 'it offers no tools';
  const fields =
    url === undefined ? { command, args, env, env_vars, cwd } : { url, headers: headersOf(value) };
  const own = Object.entries({ ...fields, ...limits, start_seconds: startSecondsOf(value) }).flatMap(
    ([key, field]) => (field === undefined ? [] : [[key, withReferences(client, field)] as const]),
  );
  const { server, problems } = read(Object.fromEntries(own));
  if (server !== undefined) return server;
  const [foreign] = JSON.stringify(own).match(/\$\{(?!env:)[^}]*\}/) ?? [];
  return foreign === undefined
    ? problems.join('. ')
    : `it uses ${foreign}, which deskside.toml does not have`;
}

/** How long Codex and Grok wait for a start. */
function startSecondsOf({ startup_timeout_sec: seconds, startup_timeout_ms: ms }: Table): number | undefined {
  const given = typeof seconds === 'number' ? seconds : Number(ms) / 1000;
  return given > 0 ? Math.ceil(given) : undefined;
}

/** Clients have other names for these lists. */
function toolLimits(value: Table) {
  const { tools } = value;
  // Codex has a table of this name.
  const chosen = Array.isArray(tools) && !tools.includes('*') ? tools : undefined;
  const exclude = value['excludeTools'] ?? value['disabled_tools'] ?? value['disabledTools'];
  return {
    include: value['includeTools'] ?? value['enabled_tools'] ?? chosen,
    exclude: isEmptyList(exclude) ? undefined : exclude,
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The same value with references of deskside.toml. */
function withReferences(client: Client, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withReferences(client, item));
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [key, withReferences(client, field)]),
    );
  }
  if (typeof value !== 'string') return value;
  return (client.references ?? []).reduce((text, form) => text.replaceAll(form, '${env:$1}'), value);
}

/** Codex names variables that contain headers. */
function headersOf(value: Table): Table | undefined {
  const { bearer_token_env_var: token, env_http_headers: named } = value;
  const headers = { ...tableOf(value['headers']), ...tableOf(value['http_headers']) };
  for (const [header, variable] of Object.entries(tableOf(named)))
    headers[header] = `\${env:${String(variable)}}`;
  if (typeof token === 'string') headers['Authorization'] = `Bearer \${env:${token}}`;
  return Object.keys(headers).length === 0 ? undefined : headers;
}

function tableOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? { ...value } : {};
}
