/** Sends one request and returns its result. @throws Error with the response if it has no result */
export type Caller = (method: string, params: Readonly<Record<string, unknown>>) => Promise<Answer>;

/** Of `tools/call` or `tools/list`. */
export interface Answer {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly tools?: readonly { readonly name: string }[];
}

export const clientInfo = { name: 'deskside-bench', version: '0.0.0' };

export function resultOf(answer: string): Answer {
  const message = JSON.parse(answer) as { readonly result?: Answer };
  if (message.result === undefined) throw new Error(`no result: ${answer}`);
  return message.result;
}
