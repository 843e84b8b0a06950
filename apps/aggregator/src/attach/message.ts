import { isObject, parseObject } from '@deskside/core/base';

type RequestId = string | number;

/** What a forwarding process must know about a JSON-RPC message. Everything else passes unread. */
export type Message =
  | {
      readonly kind: 'request';
      readonly id: RequestId;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: 'notification';
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'response'; readonly id: RequestId; readonly result: () => unknown }
  /** Not one JSON-RPC message. The desk answers it with an error. */
  | { readonly kind: 'other' };

/** The end of a result as the SDK writes it: what is before it can be megabytes, and is not read. */
const RESULT_END = /,"jsonrpc":"2\.0","id":("[^"\\]*"|\d+)\}$/;
const MAX_END = 200;

export function readMessage(line: string): Message {
  const [, written] = (line.startsWith('{"result":') && RESULT_END.exec(line.slice(-MAX_END))) || [];
  if (written !== undefined)
    return { kind: 'response', id: JSON.parse(written), result: () => parseObject(line)?.['result'] };
  const parsed = parseObject(line);
  if (parsed === undefined) return { kind: 'other' };
  const { id, method, params, result } = parsed;
  const hasId = typeof id === 'string' || typeof id === 'number';
  const values = isObject(params) ? params : {};
  if (typeof method === 'string') {
    return hasId
      ? { kind: 'request', id, method, params: values }
      : { kind: 'notification', method, params: values };
  }
  return hasId ? { kind: 'response', id, result: () => result } : { kind: 'other' };
}

/** A message in one line, without the line feed. */
export function rpcLine(message: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message });
}
