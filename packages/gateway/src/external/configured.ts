import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type ExternalServer, offeredBy } from '../config/external.ts';
import { withoutUndefined } from '../config/tables.ts';
import { matches } from '../mounts/glob.ts';
import {
  pathOf,
  secretArguments,
  type SecretSources,
  secretsFrom,
  shownArguments,
  shownUrl,
} from '../config/secrets.ts';
import type { ExternalLimits, ExternalSpec, ServerAddress, ServerCommand } from './spec.ts';

/** A server of deskside.toml as the runtime needs it. Nothing is looked up before it starts. */
export function configured(server: ExternalServer, sources: SecretSources): ExternalSpec {
  const { isolation, brief, flat, run, ask, block } = server;
  // A server may call a tool `toString`.
  const renamed = new Map(Object.entries(server.rename ?? {}));
  const isOffered = offeredBy(server);
  const isBlocked = matches(block ?? []);
  const secrets = secretsFrom(sources, literalsOf(server));
  return {
    title: titleOf(server),
    server: () => withValues(server, sources, (text) => secrets.resolve(text)),
    redact: (text) => secrets.redact(text),
    ...withoutUndefined({ isolation, brief, flat }),
    approvals: { run, ask, block },
    publicName: (kind, name) =>
      isOffered(name) && !(kind === 'tool' && isBlocked(name)) ? (renamed.get(name) ?? name) : undefined,
    limits: limitsOf(server),
  };
}

/** What runs, for people: without values of variables, headers and secret flags; of a URL only where it is. */
export function titleOf(server: ExternalServer): string {
  if ('command' in server) return [server.command, ...shownArguments(server.args ?? [])].join(' ');
  return shownUrl(server.url);
}

/** A part of a path that is at least as long and has a digit may be a key. */
const MIN_KEY = 12;

/** Values that may be passwords and tokens although they are not references. */
function literalsOf(server: ExternalServer): readonly string[] {
  if ('command' in server) return [...Object.values(server.env ?? {}), ...secretArguments(server.args ?? [])];
  const { pathname = '', searchParams } = URL.parse(server.url) ?? {};
  const query = searchParams?.values() ?? [];
  const path = pathname.split('/').filter((part) => part.length >= MIN_KEY && /\d/.test(part));
  const headers = Object.values(server.headers ?? {});
  // After a scheme such as Bearer.
  const credentials = headers.map((value) => value.replace(/^\S+ +/, ''));
  return [...path, ...query, ...headers, ...credentials];
}

function limitsOf(server: ExternalServer): Partial<ExternalLimits> {
  const { start_seconds: start, timeout_seconds: timeout, idle_minutes: idle } = server;
  return withoutUndefined({
    startMs: start && start * 1000,
    callMs: timeout && timeout * 1000,
    resultBytes: server.max_result_bytes,
    idleMs: idle && idle * 60_000,
  });
}

type Resolve = (text: string) => Promise<string>;

async function withValues(
  server: ExternalServer,
  { folder }: SecretSources,
  resolveText: Resolve,
): Promise<ServerCommand | ServerAddress> {
  if ('url' in server) {
    const { url, headers = {}, client_id: id, client_secret: secret } = server;
    const client =
      id === undefined ? undefined : { id, ...(secret && { secret: await resolveText(secret) }) };
    return {
      url: await resolveText(url),
      headers: await valuesOf(headers, resolveText),
      ...(client && { client }),
    };
  }
  const { command, args = [], env = {}, env_vars = [], cwd } = server;
  const resolved: string[] = [];
  for (const arg of args) resolved.push(await resolveText(arg));
  return {
    command,
    args: resolved,
    env: await valuesOf(env, resolveText),
    env_vars,
    cwd: folderOf(cwd, folder),
  };
}

async function valuesOf(
  table: Readonly<Record<string, string>>,
  resolveText: Resolve,
): Promise<Readonly<Record<string, string>>> {
  const values: [string, string][] = [];
  for (const [name, text] of Object.entries(table)) values.push([name, await resolveText(text)]);
  return Object.fromEntries(values);
}

/** The desk's own working directory depends on the client that started it. Before `add`, the folder may not exist. */
function folderOf(cwd: string | undefined, folder: string): string {
  if (cwd !== undefined) return pathOf(cwd, folder);
  return existsSync(folder) ? folder : tmpdir();
}
