import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@deskside/testkit';
import { type AgUiEvent, agUiStart, readAgUiEvent } from '@deskside/toaster/ag-ui';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';

/** Two runs of an agent in CopilotKit's runtime, then what a client gets that connects. */
const program = `
  import { HttpAgent } from '@ag-ui/client';
  import { InMemoryAgentRunner } from '@copilotkit/runtime/v2';

  const threadId = 'thread';
  const agent = new HttpAgent({
    url: 'http://agent.test',
    threadId,
    fetch: async (_url, { body }) => {
      const { runId } = JSON.parse(body);
      const toolCallId = 'call_0';
      const timestamp = new Date().toISOString();
      const notification = { id: runId, message: runId, severity: 'info', timestamp };
      const events = [
        { type: 'RUN_STARTED', threadId, runId },
        { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'show_notification' },
        { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{}' },
        { type: 'TOOL_CALL_END', toolCallId },
        { type: 'TOOL_CALL_RESULT', toolCallId, messageId: runId, content: JSON.stringify({ notification }) },
        { type: 'RUN_FINISHED', threadId, runId },
      ];
      const stream = events.map((event) => 'data: ' + JSON.stringify(event) + '\\n\\n').join('');
      return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } });
    },
  });

  const runner = new InMemoryAgentRunner();
  const eventsOf = (observable) => new Promise((resolve, reject) => {
    const events = [];
    observable.subscribe({ next: (event) => events.push(event), error: reject, complete: () => resolve(events) });
  });
  const run = (runId) => runner.run({
    threadId,
    agent,
    input: { threadId, runId, messages: [], tools: [], context: [], state: {}, forwardedProps: {} },
  });
  const live = [await eventsOf(run('run 1')), await eventsOf(run('run 2'))];
  process.stdout.write(JSON.stringify({ live, replay: await eventsOf(runner.connect({ threadId })) }));
`;

interface Recorded {
  readonly live: readonly (readonly AgUiEvent[])[];
  readonly replay: readonly AgUiEvent[];
}

function messagesOf(events: readonly AgUiEvent[], runId: string): string[] {
  let memory = agUiStart;
  return events.flatMap((event) => {
    const step = readAgUiEvent(memory, event, { live: true, runId });
    memory = step.memory;
    return step.toasts.map(({ message }) => message);
  });
}

// It installs three hundred megabytes.
test.skipIf(!IS_PROOF)(
  'readAgUiEvent returns nothing of the runs that the runtime of CopilotKit replays to a client that connects',
  async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'package.json'), '{ "private": true }');
    writeFileSync(join(cwd, 'program.mjs'), program);
    const env = { ...process.env, COPILOTKIT_TELEMETRY_DISABLED: 'true', DO_NOT_TRACK: '1' };
    const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...flags, '@copilotkit/runtime@^1.75.0'], { cwd, env });
    const { stdout } = await run('node', ['program.mjs'], { cwd, env });
    const { live, replay }: Recorded = JSON.parse(stdout);

    expect(live.map((events, index) => messagesOf(events, `run ${index + 1}`))).toEqual([
      ['run 1'],
      ['run 2'],
    ]);
    expect(replay.filter(({ type }) => type === 'TOOL_CALL_RESULT')).toHaveLength(2);
    expect(messagesOf(replay, 'connect')).toEqual([]);
  },
);
