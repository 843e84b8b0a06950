import { isObject } from '@deskside/core/base';
import * as z from 'zod';
import { matches } from '../mounts/glob.ts';
import { mountIdProblem } from '../mounts/mount.ts';
import { approvalFields, globsField, refined } from '../profiles/profile.ts';
import { hasReference, referenceProblem, withoutReferences } from './secrets.ts';
import { checked, entriesOf, type Report, type Table, unknownKey } from './tables.ts';

const text = z.string({ error: 'use a text' });
const notEmpty = text.min(1, 'use a text that is not empty');
const isTrue = z.boolean({ error: 'use true or false' });

/** A text that may contain `${env:NAME}` and `${file:PATH}`. */
export const withSecrets = refined(text, referenceProblem);

/** A text that another program uses unchanged. */
const withoutSecrets = notEmpty.refine((value) => !value.includes('${'), {
  error: 'references such as ${env:NAME} work in env, headers and url only',
});

/** Every user of the machine can read the arguments of a process. */
const argument = text.refine((value) => !hasReference(value), {
  error:
    'other users of this machine can read arguments: pass the secret in env, or write "$${" for the characters "${"',
});

const VARIABLE = /^[^=\0\s]+$/;
/** A token of RFC 9110. */
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers of the protocol and of HTTP itself, in lowercase. */
const OWN_HEADERS = /^(?:mcp-.*|accept|content-type|content-length|host|connection|transfer-encoding)$/;
/** A name that hosts accept, also with a prefix. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,60}$/;
const MAX_START_SECONDS = 3600;
const MAX_TIMEOUT_SECONDS = 86_400;
const MAX_RESULT_BYTES = 100_000_000;
const MAX_IDLE_MINUTES = 10_080;

/** @param problemOf the part of a sentence that rejects a member */
function tableOfTexts(problemOf: (name: string, value: string) => string | undefined) {
  return z.record(z.string(), withSecrets, { error: 'use a table of texts' }).superRefine((table, ctx) => {
    for (const [name, value] of Object.entries(table)) {
      const message = problemOf(name, value);
      if (message !== undefined) ctx.addIssue({ code: 'custom', path: [name], message });
    }
  });
}

const variables = tableOfTexts((name) => (VARIABLE.test(name) ? undefined : 'use the name of a variable'));

const handedOn = z
  .array(text.regex(VARIABLE, 'use names of variables; a variable with a value belongs in env'), {
    error: 'use a list of names',
  })
  .optional();

const headers = tableOfTexts(headerProblem);

function headerProblem(name: string, value: string): string | undefined {
  if (!HEADER.test(name)) return 'use the name of a header, such as Authorization';
  if (OWN_HEADERS.test(name.toLowerCase())) return 'this header is set by the protocol. Remove it';
  return /[\r\n]/.test(value) ? 'use a value without line breaks' : undefined;
}

const url = refined(withSecrets, urlProblem);

function urlProblem(value: string): string | undefined {
  const parsed = URL.parse(withoutReferences(value));
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.hostname === '')
    return 'use an http or https URL such as https://example.com/mcp';
  return parsed.username === '' && parsed.password === ''
    ? undefined
    : 'use headers instead of a user and password in the URL: { Authorization = "Basic ${env:NAME}" }';
}

const rename = z
  .record(z.string(), text.regex(TOOL_NAME, 'use 1 to 60 letters, digits, "_" and "-"'), {
    error: 'use a table: { old_name = "new_name" }',
  })
  .superRefine((table, ctx) => {
    const used = new Map<string, string>();
    for (const [old, name] of Object.entries(table)) {
      const other = used.get(name);
      if (other === undefined) used.set(name, old);
      else {
        const message = `"${other}" is renamed to "${name}", too. Use another name`;
        ctx.addIssue({ code: 'custom', path: [old], message });
      }
    }
  });

export function numberUpTo(max: number, unit: string) {
  const error = `use a number of ${unit} from 1 to ${max}`;
  return z.int({ error }).min(1, error).max(max, error);
}

/** What both kinds of servers have. The file has the same names. */
const shared = {
  /** `shared`: one connection for all callers. `per-client`: one per session, which may ask its caller. */
  isolation: z.enum(['shared', 'per-client'], { error: 'use "shared" or "per-client"' }).optional(),
  /** Patterns for the server's own names of tools and prompts. */
  include: globsField.optional(),
  exclude: globsField.optional(),
  ...approvalFields,
  /** New names of tools and prompts, by the server's own names. The prefix of the mount is added to them. */
  rename: rename.optional(),
  brief: text.optional(),
  flat: isTrue.optional(),
  start_seconds: numberUpTo(MAX_START_SECONDS, 'seconds').optional(),
  timeout_seconds: numberUpTo(MAX_TIMEOUT_SECONDS, 'seconds').optional(),
  max_result_bytes: numberUpTo(MAX_RESULT_BYTES, 'bytes').optional(),
  idle_minutes: numberUpTo(MAX_IDLE_MINUTES, 'minutes').optional(),
};

const commandServer = z.strictObject({
  command: withoutSecrets,
  args: z.array(argument, { error: 'use a list of texts' }).optional(),
  env: variables.optional(),
  env_vars: handedOn,
  cwd: withoutSecrets.optional(),
  ...shared,
});

const urlServer = z.strictObject({
  url,
  headers: headers.optional(),
  /** `shared`: all users of the desk may use the login of the user at the desk. */
  login: z.literal('shared', { error: 'use "shared", or remove it' }).optional(),
  /** A client that the person has registered at the server, or the https address of a client id document. */
  client_id: withoutSecrets.optional(),
  client_secret: withSecrets
    .refine(hasReference, { error: 'use ${env:NAME} or ${file:PATH}: a secret does not belong in this file' })
    .optional(),
  ...shared,
});

/** Every setting of `[mcpServers.NAME]`. */
export const EXTERNAL_KEYS: readonly string[] = Object.keys({ ...commandServer.shape, ...urlServer.shape });

export type CommandServer = z.output<typeof commandServer>;
export type UrlServer = z.output<typeof urlServer>;
/** A server that another process or machine runs, in the form that most clients use. */
export type ExternalServer = CommandServer | UrlServer;

/** What is valid of `[mcpServers]`. @param taken ids of other mounts */
export function readExternal(
  table: unknown,
  taken: readonly string[],
  report: Report,
): Readonly<Record<string, ExternalServer>> {
  const external: Record<string, ExternalServer> = {};
  for (const [id, value] of entriesOf(['mcpServers'], table, report)) {
    const path = ['mcpServers', id];
    const problem = taken.includes(id)
      ? `The mount id "${id}" is in use. Use another one.`
      : mountIdProblem(id);
    if (problem !== undefined) report(path, problem);
    const server = isObject(value) ? readServer(path, value, report) : undefined;
    if (!isObject(value)) report(path, 'use a table.');
    if (problem === undefined && server !== undefined) external[id] = server;
  }
  return external;
}

function readServer(path: readonly string[], value: Table, report: Report): ExternalServer | undefined {
  const [hasCommand, hasUrl] = [value['command'] !== undefined, value['url'] !== undefined];
  if (hasCommand && hasUrl) report(path, 'it has a command and a URL. Remove one of them.');
  if (hasCommand === hasUrl) {
    // The key may be misspelled.
    if (!hasCommand && !reportedUnknown(path, value, report))
      report(path, 'use command, args, env, env_vars and cwd, or url and headers.');
    return undefined;
  }
  const [schema, other] = hasCommand ? [commandServer, urlServer] : [urlServer, commandServer];
  const foreign = Object.keys(value).filter((key) => !(key in schema.shape) && key in other.shape);
  for (const key of foreign)
    report([...path, key], `works with ${hasCommand ? 'url' : 'command'} only. Remove it.`);
  const own = Object.fromEntries(Object.entries(value).filter(([key]) => !foreign.includes(key)));
  const server = checked(schema, path, own, report);
  return foreign.length > 0 ? undefined : server;
}

/** @returns whether a key is unknown */
function reportedUnknown(path: readonly string[], value: Table, report: Report): boolean {
  const unknown = Object.keys(value).filter((key) => !EXTERNAL_KEYS.includes(key));
  for (const key of unknown) report([...path, key], unknownKey(key, 'Keys', EXTERNAL_KEYS));
  return unknown.length > 0;
}

/** Whether `include` and `exclude` leave a tool or prompt in, by its own name. */
export function offeredBy({ include, exclude = [] }: ExternalServer): (name: string) => boolean {
  const isIncluded = include === undefined ? () => true : matches(include);
  const isExcluded = matches(exclude);
  return (name) => isIncluded(name) && !isExcluded(name);
}
