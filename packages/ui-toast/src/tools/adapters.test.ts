import { EventSchemas } from '@ag-ui/core/schemas';
import { connectInProcess } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { uiToastServer } from '../server.ts';
import { openUiToast } from '../ui-toast.ts';
import { type AgUiEvent, agUiStart, readAgUiEvent } from '@deskside/toaster/ag-ui';
import { readToolResult, type ReadOptions } from '@deskside/toaster/mcp';

const live: ReadOptions = { live: true };

async function callServer(args: Record<string, unknown> = { message: 'Deployed', severity: 'success' }) {
  await using toast = openUiToast();
  await using peer = await connectInProcess(uiToastServer(toast), { era: 'modern', over: 'http' });
  const result = await peer.callTool('show_notification', args);
  return result;
}

test('readToolResult finds the notification of the real server in every form that chats pass on', async () => {
  const result = await callServer();
  const text = result.content[0]?.type === 'text' ? result.content[0].text : '';
  const forms = [
    result,
    { content: result.content },
    result.structuredContent,
    result.content,
    text,
    JSON.stringify(result),
    { result: result.structuredContent },
  ];
  for (const form of forms) {
    const toasts = readToolResult({ name: 'show_notification', result: form }, live);
    expect(toasts).toEqual([JSON.parse(text).notification]);
  }
});

test('readToolResult accepts only the exact tool names', async () => {
  const result = await callServer();
  const read = (name: string, tools?: string[]) =>
    readToolResult({ name, result }, tools === undefined ? live : { live: true, tools }).length;
  expect(read('toast_show_notification')).toBe(1);
  expect(read('get_issue')).toBe(0);
  expect(read('evil__show_notification')).toBe(0);
  expect(read('mcp__toast__show_notification', ['mcp__toast__show_notification'])).toBe(1);
  expect(read('show_notification', ['mcp__toast__show_notification'])).toBe(0);
});

test('readToolResult returns nothing for errors, history and invalid notifications', async () => {
  const result = await callServer();
  const rejected = await callServer({ message: '' });
  const notification = { id: 'a', message: 'x', severity: 'info', timestamp: 'now' };
  expect(readToolResult({ name: 'show_notification', result }, { live: false })).toEqual([]);
  for (const broken of [
    rejected,
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

function readAll(events: readonly AgUiEvent[], memory = agUiStart) {
  const shown = [];
  for (const event of events) {
    // The protocol's own schema checks the events of this test.
    const step = readAgUiEvent(memory, EventSchemas.parse(event), live);
    memory = step.memory;
    shown.push(...step.toasts);
  }
  return { shown, memory };
}

async function agUiCall(toolCallId: string): Promise<AgUiEvent[]> {
  const content = JSON.stringify(await callServer());
  const events = [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'show_notification' },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"message":"Deployed","severity":"success"}' },
    { type: 'TOOL_CALL_END', toolCallId },
    { type: 'TOOL_CALL_RESULT', toolCallId, messageId: `result-${toolCallId}`, content },
  ];
  return events;
}

test('readAgUiEvent treats a messages snapshot as history, but a call without result there can still finish live', async () => {
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
  expect(readAll([ended], loaded.memory).shown).toEqual([]);
  expect(readAll(result === undefined ? [] : [result], loaded.memory).shown).toHaveLength(1);
});

test('a result that is a minute older than the newest one of the stream is history', async () => {
  const [old, later] = [await agUiCall('old'), await agUiCall('later')];
  for (const event of later) {
    if (!('content' in event)) continue;
    event.content = String(event.content).replaceAll(/(timestamp[^:]*:[^\d]*)\d{4}/g, '$12999');
  }
  expect(readAll([...later, ...old]).shown).toHaveLength(1);
  expect(readAll([...old, ...later]).shown).toHaveLength(2);
});
