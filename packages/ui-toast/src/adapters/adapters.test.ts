import { EventSchemas } from '@ag-ui/core/schemas';
import { connectInProcess } from '@deskside/testkit';
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { expect, test } from 'vitest';
import { uiToastServer } from '../server.ts';
import { openUiToast } from '../ui-toast.ts';
import { type AgUiEvent, agUiStart, readAgUiEvent } from './ag-ui.ts';
import { aiSdkStart, readUiMessages } from './ai-sdk.ts';
import { readToolResult } from './mcp.ts';
import type { ReadOptions } from './reading.ts';

const live: ReadOptions = { live: true };

async function callServer(args: Record<string, unknown> = { message: 'Deployed', severity: 'success' }) {
  await using toast = openUiToast();
  await using peer = await connectInProcess(uiToastServer(toast), { era: 'modern', over: 'http' });
  const result = await peer.callTool('show_notification', args);
  return result;
}

test('reads what the real server answers, in every wrapping a chat may hand it over', async () => {
  const result = await callServer();
  const text = result.content[0]?.type === 'text' ? result.content[0].text : '';
  const wrappings = [
    result,
    { content: result.content },
    result.structuredContent,
    result.content,
    text,
    JSON.stringify(result),
    { result: result.structuredContent },
  ];
  for (const wrapping of wrappings) {
    const toasts = readToolResult({ name: 'show_notification', result: wrapping }, live);
    expect(toasts).toEqual([JSON.parse(text).notification]);
  }
});

test('acts on the names the page gave, not on what the payload looks like', async () => {
  const result = await callServer();
  const read = (name: string, tools?: string[]) =>
    readToolResult({ name, result }, tools === undefined ? live : { live: true, tools }).length;
  expect(read('toast_show_notification')).toBe(1);
  expect(read('get_issue')).toBe(0);
  expect(read('evil__show_notification')).toBe(0);
  expect(read('mcp__toast__show_notification', ['mcp__toast__show_notification'])).toBe(1);
  expect(read('show_notification', ['mcp__toast__show_notification'])).toBe(0);
});

test('shows nothing for errors, history and broken answers', async () => {
  const result = await callServer();
  const refused = await callServer({ message: '' });
  const notification = { id: 'a', message: 'x', severity: 'info', timestamp: 'now' };
  expect(readToolResult({ name: 'show_notification', result }, { live: false })).toEqual([]);
  for (const broken of [
    refused,
    { ...result, isError: true },
    undefined,
    'done',
    '{"notification":',
    { notification: { ...notification, severity: 'critical' } },
    { notification: { ...notification, message: 'x'.repeat(501) } },
    { notification: { ...notification, id: 7 } },
  ]) {
    expect(readToolResult({ name: 'show_notification', result: broken }, live)).toEqual([]);
  }
  const smallest = readToolResult({ name: 'show_notification', result: { notification } }, live);
  expect(smallest).toEqual([{ ...notification, duration: 5000, position: 'top-right' }]);
});

function readAll(events: readonly AgUiEvent[], options: ReadOptions = live, memory = agUiStart) {
  const shown = [];
  for (const event of events) {
    // The events are what the protocol's own schema takes.
    const step = readAgUiEvent(memory, EventSchemas.parse(event), options);
    memory = step.memory;
    shown.push(...step.toasts);
  }
  return { shown, memory };
}

async function agUiCall(toolCallId: string, toolCallName = 'show_notification'): Promise<AgUiEvent[]> {
  const content = JSON.stringify(await callServer());
  const events = [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"message":"Deployed","severity":"success"}' },
    { type: 'TOOL_CALL_END', toolCallId },
    { type: 'TOOL_CALL_RESULT', toolCallId, messageId: `result-${toolCallId}`, content },
  ];
  return events;
}

test('AG-UI: a live result is shown once, whatever is played again', async () => {
  const call = await agUiCall('call-1');
  const first = readAll(call);
  expect(first.shown).toMatchObject([{ message: 'Deployed', severity: 'success' }]);
  expect(readAll(call, live, first.memory).shown).toEqual([]);
  expect(readAll(await agUiCall('call-2'), live, first.memory).shown).toHaveLength(1);
  expect(readAll(await agUiCall('call-3', 'get_issue')).shown).toEqual([]);
});

test('AG-UI: what was read as history is not shown when it comes live again', async () => {
  const call = await agUiCall('call-1');
  const replayed = readAll(call, { live: false });
  expect(replayed.shown).toEqual([]);
  expect(readAll(call, live, replayed.memory).shown).toEqual([]);
});

test('AG-UI: a messages snapshot is history; a call that is open in it can still end live', async () => {
  const [, , , result] = await agUiCall('open');
  const called = { name: 'show_notification', arguments: '{}' };
  const content = JSON.stringify(await callServer());
  const snapshot = {
    type: 'MESSAGES_SNAPSHOT',
    messages: [
      {
        id: 'm1',
        role: 'assistant',
        toolCalls: ['ended', 'open'].map((id) => ({ id, type: 'function', function: called })),
      },
      { id: 'm2', role: 'tool', toolCallId: 'ended', content },
    ],
  };
  const loaded = readAll([snapshot]);
  expect(loaded.shown).toEqual([]);
  const ended = { type: 'TOOL_CALL_RESULT', toolCallId: 'ended', messageId: 'm2', content };
  expect(readAll([ended], live, loaded.memory).shown).toEqual([]);
  expect(readAll(result === undefined ? [] : [result], live, loaded.memory).shown).toHaveLength(1);
});

/** The messages as the AI SDK itself puts them together from a stream, one for every chunk. */
async function messagesOf(chunks: readonly UIMessageChunk[]): Promise<UIMessage[]> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const states: UIMessage[] = [];
  for await (const message of readUIMessageStream({ stream })) states.push(structuredClone(message));
  return states;
}

async function aiSdkCall(dynamic: boolean): Promise<UIMessageChunk[]> {
  const call = { toolCallId: 'call-1', toolName: 'show_notification', dynamic };
  const output = await callServer();
  return [
    { type: 'start', messageId: 'm1' },
    { type: 'tool-input-start', ...call },
    { type: 'tool-input-available', ...call, input: { message: 'Deployed', severity: 'success' } },
    { type: 'tool-output-available', toolCallId: 'call-1', output, dynamic, preliminary: true },
    { type: 'tool-output-available', toolCallId: 'call-1', output, dynamic },
    { type: 'finish' },
  ];
}

test.each([true, false])('AI SDK: a final output is shown once, as a dynamic tool: %s', async (dynamic) => {
  const states = await messagesOf(await aiSdkCall(dynamic));
  let memory = aiSdkStart;
  const shown: number[] = [];
  for (const message of states) {
    const step = readUiMessages(memory, [message], live);
    memory = step.memory;
    shown.push(step.toasts.length);
  }
  expect(shown.filter((count) => count > 0)).toEqual([1]);
  expect(shown[0]).toBe(0);
});

test('AI SDK: the messages a chat was loaded with show nothing, then or later', async () => {
  const messages = await messagesOf(await aiSdkCall(true));
  const loaded = readUiMessages(aiSdkStart, messages.slice(-1), { live: false });
  expect(loaded.toasts).toEqual([]);
  expect(readUiMessages(loaded.memory, messages.slice(-1), live).toasts).toEqual([]);
});
