import { type JSONRPCErrorResponse, type JSONRPCMessage, type Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Era } from '../definition/context.ts';
import { visible } from '../log/visible.ts';

type RpcError = JSONRPCErrorResponse['error'];

const INVALID_PARAMS = -32_602;
/** Up to 2025-11-25; the SDK has the later code for every era. */
const LEGACY_RESOURCE_NOT_FOUND = -32_002;

/**
 * Rewords what the SDK itself answers, on its way out of every transport: to a request that does not fit the
 * protocol Zod's dump over many lines, for some methods as an internal error; in the legacy era the modern code of
 * a resource that is not there.
 */
export function rewordErrors(server: Server, era: Era): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(reworded(message, era), options);
    return connect(transport);
  };
}

function reworded(message: JSONRPCMessage, era: Era): JSONRPCMessage {
  if (!('error' in message)) return message;
  const { error } = message;
  const sentence = sentenceOf(error.message);
  if (sentence !== undefined) return { ...message, error: { code: INVALID_PARAMS, message: sentence } };
  if (era === 'legacy' && isResourceNotFound(error))
    return { ...message, error: { ...error, code: LEGACY_RESOURCE_NOT_FOUND } };
  return message;
}

function isResourceNotFound({ code, data }: RpcError): boolean {
  return code === INVALID_PARAMS && typeof data === 'object' && data !== null && 'uri' in data;
}

/** @returns undefined for a text that is no dump of Zod's */
function sentenceOf(text: string): string | undefined {
  const [, dump] = /^(?:Invalid tools\/call request: )?(\[\n {2}\{\n[^]*\])$/.exec(text) ?? [];
  if (dump === undefined) return undefined;
  const issue = firstIssue(dump);
  if (issue === undefined) return undefined;
  const { path, expected = '' } = issue;
  const name = path.filter((part) => part !== 'params').join('.');
  const subject = name === '' ? 'params' : `"${visible(name)}"`;
  return `Invalid params: ${subject} ${KINDS[expected] ?? 'does not fit'}.`;
}

function firstIssue(dump: string) {
  const issue = z.object({
    path: z.array(z.union([z.string(), z.number()])),
    expected: z.string().optional(),
  });
  try {
    return z.array(issue).safeParse(JSON.parse(dump)).data?.[0];
  } catch {
    return undefined;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'must be an array',
  boolean: 'must be true or false',
  number: 'must be a number',
  object: 'must be an object',
  record: 'must be an object',
  string: 'must be a string',
};
