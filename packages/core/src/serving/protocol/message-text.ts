import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { getOrAdd } from '../../base/values.ts';

/** The JSON of lists of tools. A definition returns the same array as long as nothing has changed. */
const texts = new WeakMap<object, string>();

/** A message as JSON. The text of a long list is written once, because it costs more than the rest of its request. */
export function messageText(message: JSONRPCMessage): string {
  const tools: unknown = 'result' in message ? message.result['tools'] : undefined;
  if (!('result' in message) || !Array.isArray(tools)) return JSON.stringify(message);
  const { result, ...rest } = message;
  const text = getOrAdd(texts, tools, () => JSON.stringify(tools));
  const others = JSON.stringify({ ...result, tools: undefined }).slice(1);
  const list = `{"tools":${text}${others === '}' ? '' : ','}${others}`;
  return `{"result":${list},${JSON.stringify(rest).slice(1)}`;
}
