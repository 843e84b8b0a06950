import { isObject } from '@deskside/core/base';

type Members = Readonly<Record<string, unknown>>;

const names = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.join(' ').split(' '));

/** Optional members of the protocol's messages. Others, which it does not name, stay as they are. */
const OPTIONAL = names(
  '_meta annotations arguments audience cacheScope completions content description destructiveHint execution',
  'experimental extensions hasMore icons idempotentHint inputRequests instructions isError lastModified listChanged',
  'logger logging message mimeType nextCursor openWorldHint outputSchema priority properties readOnlyHint',
  'requestState required resultType size sizes subscribe taskSupport theme title total ttlMs websiteUrl $schema',
);
/** What PHP sends as a list if it is empty. */
const OBJECTS = names('_meta annotations capabilities properties');
const LISTS = names('tools prompts resources resourceTemplates contents messages');
/** Values of others, in which null is a value. */
const OPAQUE = names(
  'structuredContent _meta data properties $defs definitions requestedSchema default const enum examples',
);

/**
 * A message as its server meant it: optional members that are null are absent, a list that is null is empty, and so is an
 * object that is an empty list. Changes the message itself, which was just parsed.
 */
export function withoutNulls(message: Members): Members {
  for (const part of ['error', 'params', 'result'])
    if (message[part] === null) Reflect.deleteProperty(message, part);
  clean(message);
  const { result } = message;
  if (!isObject(result)) return message;
  for (const list of LISTS) if (result[list] === null) Reflect.set(result, list, []);
  // The legacy era has only objects there.
  if (result['structuredContent'] === null && result['resultType'] === undefined)
    Reflect.deleteProperty(result, 'structuredContent');
  const { serverInfo } = result;
  const capabilities: Members = isObject(result['capabilities']) ? result['capabilities'] : {};
  for (const [name, value] of Object.entries(capabilities)) {
    if (value === null) Reflect.deleteProperty(capabilities, name);
    else if (Array.isArray(value)) Reflect.set(capabilities, name, {});
  }
  if (typeof result['protocolVersion'] === 'string') {
    Reflect.set(result, 'serverInfo', { name: '', version: '', ...(isObject(serverInfo) ? serverInfo : {}) });
  }
  return message;
}

function clean(members: Members): void {
  for (const [name, value] of Object.entries(members)) {
    if (value === null) {
      if (OPTIONAL.has(name)) Reflect.deleteProperty(members, name);
    } else if (Array.isArray(value)) {
      if (value.length === 0 && OBJECTS.has(name)) Reflect.set(members, name, {});
      else if (!OPAQUE.has(name)) for (const each of value) if (isObject(each)) clean(each);
    } else if (isObject(value) && !OPAQUE.has(name)) clean(value);
  }
}
