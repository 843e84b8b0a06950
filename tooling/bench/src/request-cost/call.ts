/** Sends one request and returns its result. @throws Error with the response if it has no result */
export type Call = (method: string, params: object) => Promise<Result>;

/** Of `tools/call` or `tools/list`. */
export interface Result {
  readonly content?: unknown;
  readonly tools?: readonly { readonly name: string }[];
}

export const clientInfo = { name: 'deskside-bench', version: '0.0.0' };

export const initializeParams = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };

/** @param answer a JSON-RPC message, or an event stream that contains it */
export function resultOf(answer: string): Result {
  const json = answer.startsWith('{') ? answer : /^data: ?(\{.*)$/m.exec(answer)?.[1];
  const { result } = JSON.parse(json ?? '{}') as { readonly result?: Result };
  if (result === undefined) throw new Error(`no result: ${answer}`);
  return result;
}
