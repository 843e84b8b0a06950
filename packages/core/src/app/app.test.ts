import { expect, test } from 'vitest';
import { type AppFrame, connectApp } from './index.ts';

type Listener = Parameters<AppFrame['addEventListener']>[1];

/** A frame whose host is the test. */
function openFrame() {
  const sent: Record<string, unknown>[] = [];
  const listeners: Listener[] = [];
  const parent = { postMessage: (message: unknown) => void sent.push(message as Record<string, unknown>) };
  const received: unknown[] = [];
  const app = connectApp(
    { parent, addEventListener: (_, listener) => void listeners.push(listener) },
    { name: 'test-view', version: '1.0.0' },
    (...message) => void received.push(message),
  );
  const fromHost = (data: unknown, source: unknown = parent) => {
    for (const listener of listeners) listener({ source, data });
  };
  return { app, sent, received, fromHost };
}

test('a view introduces itself, waits for the answer of its host, and reports that it is ready', async () => {
  const { app, sent, fromHost } = openFrame();
  expect(sent).toMatchObject([
    { jsonrpc: '2.0', id: 0, method: 'ui/initialize', params: { appInfo: { name: 'test-view' } } },
  ]);
  fromHost({ jsonrpc: '2.0', id: 0, result: { hostContext: { theme: 'dark' } } });
  expect(await app.ready).toEqual({ hostContext: { theme: 'dark' } });
  expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', method: 'ui/notifications/initialized', params: {} });
});

test('a view gets the result or the error of its requests', async () => {
  const { app, fromHost } = openFrame();
  const first = app.request('tools/call', { name: 'a' });
  const second = app.request('tools/call', { name: 'b' });
  fromHost({ id: 2, error: { code: -1 } });
  fromHost({ id: 1, result: { content: [] } });
  expect(await first).toEqual({ content: [] });
  await expect(second).rejects.toMatchObject({ message: 'tools/call', cause: { code: -1 } });
});

test('a view answers its host, and ignores other windows', () => {
  const { sent, received, fromHost } = openFrame();
  fromHost({ id: 7, method: 'ui/resource-teardown', params: {} });
  fromHost({ id: 8, method: 'unknown' });
  fromHost({ method: 'ui/notifications/tool-result', params: { content: [] } });
  fromHost({ method: 'ui/notifications/tool-result' }, {});
  expect(sent.slice(1)).toMatchObject([
    { id: 7, result: {} },
    { id: 8, error: { code: -32_601 } },
  ]);
  expect(received).toEqual([
    ['ui/resource-teardown', {}],
    ['unknown', {}],
    ['ui/notifications/tool-result', { content: [] }],
  ]);
});
