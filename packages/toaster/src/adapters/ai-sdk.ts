import {
  endRun,
  isToastTool,
  nothingRead,
  type Reading,
  type ReadNotifications,
  type ReadOptions,
  readOnce,
} from './reading.ts';

export type { Notification } from '../notification/notification.ts';
export type { Reading, ReadOptions } from './reading.ts';

export interface AiSdkMemory {
  readonly read: ReadNotifications;
  /** The ids of the messages at the last step. */
  readonly messages: ReadonlySet<string>;
}

export const aiSdkStart: AiSdkMemory = { read: nothingRead, messages: new Set() };

export interface AiSdkReadOptions extends ReadOptions {
  /** The status of `useChat`: with `ready` and `error` the run has ended, and so have its spinners. */
  readonly status?: 'submitted' | 'streaming' | 'ready' | 'error';
}

/** A `UIMessage` of the AI SDK. */
export interface UiMessage {
  readonly id: string;
  readonly parts: readonly { readonly type: string }[];
}

/**
 * Reads the messages of a chat. Call it first with the loaded messages and `live: false`, then with all messages after
 * each change of messages or status and `live: true`. A message that appears together with the message before it is history too.
 *
 * `({ toasts, memory } = readUiMessages(memory, messages, { live: true, status }));`
 */
export function readUiMessages(
  memory: AiSdkMemory,
  messages: readonly UiMessage[],
  options: AiSdkReadOptions,
): Reading<AiSdkMemory> {
  const isKnown = (message?: UiMessage) => memory.messages.has(message?.id ?? '');
  const outputs = messages.flatMap((message, n) => {
    const live = options.live && (isKnown(message) || isKnown(messages[n - 1]));
    return message.parts.map((part) => ({ live, ...outputOf(part) }));
  });
  let { read } = memory;
  const toasts = outputs.flatMap(({ live, tool, output }) => {
    if (tool === undefined || !isToastTool(tool, options)) return [];
    const step = readOnce(read, output, live);
    read = step.memory;
    return step.toasts;
  });
  const { status } = options;
  const ended = status === 'ready' || status === 'error' ? endRun(read, status === 'error') : undefined;
  return {
    toasts: [...toasts, ...(ended?.toasts ?? [])],
    memory: { read: ended?.memory ?? read, messages: new Set(messages.map(({ id }) => id)) },
  };
}

interface Output {
  readonly tool: string;
  readonly output: unknown;
}

/** The final output of a tool part. MCP tools without a schema in the chat are `dynamic-tool` parts. */
function outputOf(part: { readonly type: string }): Output | undefined {
  const given: Readonly<Record<string, unknown>> = { ...part };
  const { toolName, state, preliminary, output } = given;
  const tool = part.type === 'dynamic-tool' ? toolName : /^tool-(.+)$/.exec(part.type)?.[1];
  const isFinal = state === 'output-available' && preliminary !== true;
  return isFinal && typeof tool === 'string' ? { tool, output } : undefined;
}
