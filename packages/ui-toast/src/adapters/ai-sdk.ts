import type { Notification } from '../notification/notification.ts';
import { notificationIn } from './notification-in.ts';
import { isOurs, type Reading, type ReadOptions, withId } from './reading.ts';

export type { Notification } from '../notification/notification.ts';
export type { Reading, ReadOptions } from './reading.ts';

/** The tool calls whose output was read. */
export type AiSdkMemory = ReadonlySet<string>;

export const aiSdkStart: AiSdkMemory = new Set<string>();

/** A UI message of the AI SDK. */
export interface UiMessage {
  readonly parts: readonly { readonly type: string }[];
}

/**
 * Reads a chat's messages as they stand, as often as they change; pass those a chat was loaded with as `live: false`
 * first.
 *
 * `({ toasts, memory } = readUiMessages(memory, messages, { live: true }));`
 */
export function readUiMessages(
  memory: AiSdkMemory,
  messages: readonly UiMessage[],
  options: ReadOptions,
): Reading<AiSdkMemory> {
  const outputs = messages
    .flatMap(({ parts }) => parts.map(outputOf))
    .filter((output) => output !== undefined)
    .filter(({ id, tool }) => isOurs(tool, options) && !memory.has(id));
  const found = options.live ? outputs.map(({ output }) => notificationIn(output)) : [];
  return {
    toasts: found.filter((notification): notification is Notification => notification !== undefined),
    memory: outputs.reduce((ids, { id }) => withId(ids, id), memory),
  };
}

interface Output {
  readonly id: string;
  readonly tool: string;
  readonly output: unknown;
}

/** The output of a tool part once it is final; MCP tools without given schemas are `dynamic-tool` parts. */
function outputOf(part: { readonly type: string }): Output | undefined {
  const given: Readonly<Record<string, unknown>> = { ...part };
  const { toolCallId: id, toolName, state, preliminary, output } = given;
  const tool = part.type === 'dynamic-tool' ? toolName : /^tool-(.+)$/.exec(part.type)?.[1];
  if (typeof id !== 'string' || typeof tool !== 'string') return undefined;
  if (state !== 'output-available' || preliminary === true) return undefined;
  return { id, tool, output };
}
