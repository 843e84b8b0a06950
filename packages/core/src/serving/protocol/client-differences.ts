import { parsedJson } from '../../base/json.ts';
import { getOrAdd, isObject } from '../../base/values.ts';
import type { CallToolResult, ClientCapabilities, Tool } from '@modelcontextprotocol/server';
import type { Caller } from '../../definition/context.ts';
import type { KnownClient } from '../../definition/known-client.ts';

const APPS = 'io.modelcontextprotocol/ui';

/**
 * The tools as a client gets them.
 *
 * @param capabilities what it declares; undefined if that is not known
 */
export function toolsFor(
  tools: readonly Tool[],
  known: KnownClient | undefined,
  capabilities: () => ClientCapabilities | undefined,
): readonly Tool[] {
  const declared = tools.some(isForViews) ? capabilities() : undefined;
  const shown = declared === undefined || declared.extensions?.[APPS] ? tools : forModels(tools);
  return known?.readsTextAsObject === true ? withoutOutputSchemas(shown) : shown;
}

/** The same list for the same tools: the text of a list is kept. */
function keptPerList(change: (tools: readonly Tool[]) => readonly Tool[]): typeof change {
  const changed = new WeakMap<readonly Tool[], readonly Tool[]>();
  return (tools) => getOrAdd(changed, tools, () => change(tools));
}

const forModels = keptPerList((tools) => tools.filter((tool) => !isForViews(tool)));
const withoutOutputSchemas = keptPerList((tools) => tools.map(({ outputSchema: _, ...tool }) => tool));

/** MCP Apps: only the view of a tool may call it. */
export function isForViews({ _meta: meta }: Pick<Tool, '_meta'>): boolean {
  const ui: unknown = meta?.['ui'];
  const visibility = isObject(ui) ? ui['visibility'] : undefined;
  return Array.isArray(visibility) && visibility.length > 0 && visibility.every((each) => each === 'app');
}

/** A result as a client gets it: the texts are the same for all. */
export function resultFor<Result extends object>(
  result: Result,
  caller: Pick<Caller, 'known'>,
): Result | CallToolResult {
  if (!isToolResult(result) || isObject(result.structuredContent)) return result;
  if (caller.known?.readsTextAsObject !== true) return result;
  const [block] = result.content;
  const value = result.structuredContent ?? (block?.type === 'text' ? parsedJson(block.text) : undefined);
  if (value === undefined || isObject(value)) return result;
  return { ...result, structuredContent: Array.isArray(value) ? { items: value } : { value } };
}

function isToolResult(result: object): result is CallToolResult {
  return 'content' in result && Array.isArray(result.content);
}
