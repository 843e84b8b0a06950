import { connectInProcess } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { openLogNotify } from '../log-notify.ts';
import { logNotifyServer } from '../server.ts';

test('notify is listed with the purpose, the parameters and the contexts of the specification', async () => {
  await using logNotify = openLogNotify({ config: '/nowhere/log-notify.toml' }, { report: () => undefined });
  await using peer = await connectInProcess(logNotifyServer(logNotify), { era: 'modern', over: 'http' });
  const tools = await peer.listTools();
  expect(tools.map(({ name }) => name)).toStrictEqual(['notify']);
  expect(tools[0]?.description).toMatch(/^Send messages from LLM to user through the logging system\. /);
  expect(tools[0]?.inputSchema).toStrictEqual({
    type: 'object',
    properties: {
      message: { type: 'string', description: 'The message to notify the user about', minLength: 1 },
      level: {
        type: 'string',
        enum: ['info', 'warn', 'error'],
        description: 'The notification level (default: info)',
        default: 'info',
      },
      context: {
        type: 'string',
        description: 'Optional context or category for the notification',
        default: 'llm',
      },
    },
    required: ['message'],
  });
  for (const context of ['analysis', 'workflow', 'safety', 'performance', 'discovery']) {
    expect(tools[0]?.description).toContain(context);
    expect(peer.instructions).toContain(context);
  }
  for (const advice of ['Keep messages concise and actionable', 'the person cannot reply']) {
    expect(tools[0]?.description).toContain(advice);
  }
});
