import { type AgUiEvent, agUiStart, readAgUiEvent } from '@deskside/toaster/ag-ui';
import { aiSdkStart, readUiMessages } from '@deskside/toaster/ai-sdk';
import { endToasts, type Notification } from '@deskside/toaster/mcp';
import { expect, test } from 'vitest';

const deploying: Notification = {
  id: 'deploy',
  message: 'Deploying',
  severity: 'info',
  duration: 5000,
  position: 'top-right',
  timestamp: '2026-11-21T11:00:00.000Z',
  loading: true,
};
const { loading: _loading, ...settled } = deploying;
const ended = { ...settled, ended: true, timestamp: '2026-11-21T11:00:00.001Z' };
const done = { ...settled, message: 'Deployed', severity: 'success', timestamp: '2026-11-21T11:00:09.000Z' };

function agUi(...events: readonly (AgUiEvent & Record<string, unknown>)[]): unknown[] {
  let memory = agUiStart;
  return events.flatMap((event) => {
    const step = readAgUiEvent(memory, event, { live: true });
    memory = step.memory;
    return step.toasts;
  });
}

const started = (runId: string) => ({ type: 'RUN_STARTED', runId });
const called = (notification: object) => [
  { type: 'TOOL_CALL_START', toolCallId: 'call_0', toolCallName: 'show_notification' },
  { type: 'TOOL_CALL_RESULT', toolCallId: 'call_0', content: JSON.stringify({ notification }) },
];

test('the end of an AG-UI run ends its spinners: with a warning, or with an error if it failed', () => {
  const run = [started('1'), ...called(deploying)];
  const warning = { ...ended, severity: 'warning' };
  expect(agUi(...run, { type: 'RUN_FINISHED', runId: '1' })).toEqual([deploying, warning]);
  expect(agUi(...run, { type: 'RUN_FINISHED' })).toEqual([deploying, warning]);
  expect(agUi(...run, { type: 'RUN_ERROR', code: 'abort' })).toEqual([deploying, warning]);
  expect(agUi(...run, { type: 'RUN_ERROR' })).toEqual([deploying, { ...ended, severity: 'error' }]);
});

test('the end of an AG-UI run ends nothing that has its result, and no spinner of another run', () => {
  const finished = { type: 'RUN_FINISHED', runId: '1' };
  expect(agUi(started('1'), ...called(deploying), ...called(done), finished)).toEqual([deploying, done]);
  expect(agUi(started('2'), ...called(deploying), finished)).toEqual([deploying]);
  expect(agUi(started('1'), ...called(deploying), finished, finished)).toHaveLength(2);
});

test('a result that comes after the end of its run still replaces what the end has shown', () => {
  const later = [started('2'), ...called(done)];
  const shown = agUi(started('1'), ...called(deploying), { type: 'RUN_FINISHED', runId: '1' }, ...later);
  expect(shown).toEqual([deploying, { ...ended, severity: 'warning' }, done]);
  expect(done.timestamp > ended.timestamp).toBe(true);
});

test.each([
  ['ready', [{ ...ended, severity: 'warning' }]],
  ['error', [{ ...ended, severity: 'error' }]],
  ['streaming', []],
  ['submitted', []],
] as const)('a chat of the AI SDK with the status %s ends its spinners accordingly', (status, expected) => {
  const output = { notification: deploying };
  const part = { type: 'dynamic-tool', toolName: 'show_notification', state: 'output-available', output };
  const asked = readUiMessages(aiSdkStart, [{ id: 'u', parts: [] }], { live: true, status: 'submitted' });
  const messages = [
    { id: 'u', parts: [] },
    { id: 'a', parts: [part] },
  ];
  const shown = readUiMessages(asked.memory, messages, { live: true, status: 'streaming' });
  expect(shown.toasts).toEqual([deploying]);
  const step = readUiMessages(shown.memory, messages, { live: true, status });
  expect(step.toasts).toEqual(expected);
  expect(readUiMessages(step.memory, messages, { live: true, status: 'ready' }).toasts).toHaveLength(
    expected.length === 0 ? 1 : 0,
  );
});

test('endToasts ends what still shows a spinner at the end of a run that an MCP client does not see', () => {
  const other: Notification = { ...deploying, id: 'test' };
  const result: Notification = { ...settled, timestamp: done.timestamp };
  expect(endToasts([deploying, other, result], { failed: false })).toEqual([
    { ...ended, id: 'test', severity: 'warning' },
  ]);
});
