import { notificationIn } from './notification-in.ts';
import { isOurs, type Reading, type ReadOptions, withId } from './reading.ts';

export type { Notification } from '../notification/notification.ts';
export type { Reading, ReadOptions } from './reading.ts';

/** What has to be known of earlier events: a result names its call, and not the tool. */
export interface AgUiMemory {
  /** Tool names by the id of their call, until its result is there. */
  readonly calls: ReadonlyMap<string, string>;
  /** Calls whose result was read. */
  readonly read: ReadonlySet<string>;
}

export const agUiStart: AgUiMemory = { calls: new Map(), read: new Set() };

/** Any AG-UI event; those that are not about tool calls are passed by. */
export interface AgUiEvent {
  readonly type: string;
}

/**
 * Reads the next event of an AG-UI stream. A messages snapshot is history, whatever `live` says.
 *
 * `({ toasts, memory } = readAgUiEvent(memory, event, { live: true }));`
 */
export function readAgUiEvent(
  memory: AgUiMemory,
  event: AgUiEvent,
  options: ReadOptions,
): Reading<AgUiMemory> {
  const given: Readonly<Record<string, unknown>> = { ...event };
  const { toolCallId, toolCallName, content, messages } = given;
  switch (event.type) {
    case 'TOOL_CALL_START':
    case 'TOOL_CALL_CHUNK':
      return { toasts: [], memory: withCall(memory, toolCallId, toolCallName) };
    case 'TOOL_CALL_RESULT':
      return readResult(memory, toolCallId, content, options);
    case 'MESSAGES_SNAPSHOT':
      return { toasts: [], memory: Array.isArray(messages) ? messages.reduce(withMessage, memory) : memory };
    default:
      return { toasts: [], memory };
  }
}

function readResult(
  memory: AgUiMemory,
  id: unknown,
  content: unknown,
  options: ReadOptions,
): Reading<AgUiMemory> {
  if (typeof id !== 'string') return { toasts: [], memory };
  const tool = memory.calls.get(id);
  const isNew = options.live && !memory.read.has(id) && tool !== undefined && isOurs(tool, options);
  const notification = isNew ? notificationIn(content) : undefined;
  return { toasts: notification === undefined ? [] : [notification], memory: withRead(memory, id) };
}

function withCall(memory: AgUiMemory, id: unknown, name: unknown): AgUiMemory {
  if (typeof id !== 'string' || typeof name !== 'string' || memory.read.has(id)) return memory;
  return { ...memory, calls: new Map([...memory.calls, [id, name]]) };
}

function withRead(memory: AgUiMemory, id: string): AgUiMemory {
  const calls = new Map([...memory.calls].filter(([call]) => call !== id));
  return { calls, read: withId(memory.read, id) };
}

/** An assistant's message holds calls, a tool's message the result of one. */
function withMessage(memory: AgUiMemory, message: unknown): AgUiMemory {
  const { toolCalls, toolCallId } = fields(message);
  const read = typeof toolCallId === 'string' ? withRead(memory, toolCallId) : memory;
  const calls: readonly unknown[] = Array.isArray(toolCalls) ? toolCalls : [];
  return calls.reduce<AgUiMemory>((known, call) => {
    const { id, function: called } = fields(call);
    return withCall(known, id, fields(called)['name']);
  }, read);
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
