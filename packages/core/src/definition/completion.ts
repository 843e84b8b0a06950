import type { CompleteResult } from '@modelcontextprotocol/server';
import type { Awaitable, RequestContext } from './context.ts';

/** Suggests values for what was typed so far; `given` holds the other arguments. */
export type Completer<Deps> = (
  typed: string,
  given: Readonly<Record<string, string>>,
  deps: Deps,
  ctx: RequestContext,
) => Awaitable<readonly string[]>;

/** The protocol's own limit for one answer. */
const MOST_VALUES = 100;

export function completion(values: readonly string[]): CompleteResult {
  return {
    completion: {
      values: values.slice(0, MOST_VALUES),
      total: values.length,
      hasMore: values.length > MOST_VALUES,
    },
  };
}
