import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { getOrAdd } from '../../base/values.ts';

/** The JSON of lists of tools, in UTF-8. A definition returns the same array as long as nothing has changed. */
const lists = new WeakMap<object, Buffer>();

/**
 * A message as JSON with what frames it on its transport. A long list is written and encoded once, because both cost more than
 * the rest of its request; it comes as UTF-8.
 */
export function messageText(message: JSONRPCMessage, before = '', after = ''): string | Buffer {
  const tools: unknown = 'result' in message ? message.result['tools'] : undefined;
  if (!('result' in message) || !Array.isArray(tools)) return `${before}${JSON.stringify(message)}${after}`;
  const { result, ...rest } = message;
  const list = getOrAdd(lists, tools, () => Buffer.from(JSON.stringify(tools)));
  const others = JSON.stringify({ ...result, tools: undefined }).slice(1);
  const end = `${others === '}' ? '' : ','}${others},${JSON.stringify(rest).slice(1)}${after}`;
  return Buffer.concat([Buffer.from(`${before}{"result":{"tools":`), list, Buffer.from(end)]);
}
