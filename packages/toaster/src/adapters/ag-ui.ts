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

/** Earlier events: a result has the id of its call, but not the name of the tool. */
export interface AgUiMemory {
  /** Tool names by call id, until the result comes. */
  readonly calls: ReadonlyMap<string, string>;
  readonly read: ReadNotifications;
  /** The id of the run that started last. */
  readonly runId?: unknown;
}

export const agUiStart: AgUiMemory = { calls: new Map(), read: nothingRead };

export interface AgUiReadOptions extends ReadOptions {
  /** The id of the run that the page has started, `input.runId` of a subscriber. Results of other runs are history. */
  readonly runId?: string;
}

/** Any AG-UI event. Events that are not about tool calls are ignored. */
export interface AgUiEvent {
  readonly type: string;
}

/**
 * Reads the next event of an AG-UI stream. A messages snapshot is always history. The end of a run ends its spinners.
 *
 * `({ toasts, memory } = readAgUiEvent(memory, event, { live: true }));`
 */
export function readAgUiEvent(
  memory: AgUiMemory,
  event: AgUiEvent,
  options: AgUiReadOptions,
): Reading<AgUiMemory> {
  const given: Readonly<Record<string, unknown>> = { ...event };
  const { toolCallId, toolCallName, content, messages, runId, code } = given;
  switch (event.type) {
    case 'RUN_STARTED':
      return { toasts: [], memory: { ...memory, runId } };
    case 'RUN_FINISHED':
    case 'RUN_ERROR': {
      // A run that the person has stopped ends with an error too.
      const failed = event.type === 'RUN_ERROR' && code !== 'abort';
      const { toasts, memory: read } = endRun(memory.read, failed, runId ?? memory.runId);
      return { toasts, memory: { ...memory, read } };
    }
    case 'TOOL_CALL_START':
    case 'TOOL_CALL_CHUNK':
      return { toasts: [], memory: withCall(memory, toolCallId, toolCallName) };
    case 'TOOL_CALL_RESULT':
      return readResult(memory, toolCallId, content, options);
    case 'MESSAGES_SNAPSHOT':
      return {
        toasts: [],
        memory: Array.isArray(messages)
          ? messages.reduce((known: AgUiMemory, message) => withMessage(known, message, options), memory)
          : memory,
      };
    default:
      return { toasts: [], memory };
  }
}

function readResult(
  memory: AgUiMemory,
  id: unknown,
  content: unknown,
  options: AgUiReadOptions,
): Reading<AgUiMemory> {
  const tool = typeof id === 'string' ? memory.calls.get(id) : undefined;
  if (tool === undefined) return { toasts: [], memory };
  const calls = new Map([...memory.calls].filter(([call]) => call !== id));
  if (!isToastTool(tool, options)) return { toasts: [], memory: { ...memory, calls } };
  // Without one of the ids every run is the page's own.
  const isOwnRun = (memory.runId ?? options.runId) === (options.runId ?? memory.runId);
  const { toasts, memory: read } = readOnce(memory.read, content, options.live && isOwnRun, memory.runId);
  return { toasts, memory: { ...memory, calls, read } };
}

function withCall(memory: AgUiMemory, id: unknown, name: unknown): AgUiMemory {
  if (typeof id !== 'string' || typeof name !== 'string') return memory;
  return { ...memory, calls: new Map([...memory.calls, [id, name]]) };
}

/** A message of the assistant has tool calls; a message of a tool has the result of one. */
function withMessage(memory: AgUiMemory, message: unknown, options: AgUiReadOptions): AgUiMemory {
  const { toolCalls, toolCallId, content } = fields(message);
  const { memory: read } = readResult(memory, toolCallId, content, { ...options, live: false });
  const calls: readonly unknown[] = Array.isArray(toolCalls) ? toolCalls : [];
  return calls.reduce<AgUiMemory>((known, call) => {
    const { id, function: called } = fields(call);
    return withCall(known, id, fields(called)['name']);
  }, read);
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
