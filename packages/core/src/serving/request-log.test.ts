import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { inputRequired } from '../definition/context.ts';
import { connectTo, defineTool, LEGACY, MODERN, type Spec } from '../testing/surface.ts';
import { described } from '../testing/described.ts';

describe('the request log', () => {
  const lines: string[] = [];
  const entries = () =>
    lines.splice(0).flatMap((line) => {
      const entry = z.record(z.string(), z.unknown()).parse(JSON.parse(line));
      return entry['message'] === 'request' ? [entry] : [];
    });

  const blocked = Promise.withResolvers<AbortSignal>();
  const spec: Spec = {
    tools: [
      defineTool({
        ...described('ask'),
        run: () =>
          inputRequired({
            inputRequests: {
              q: inputRequired.elicit({
                message: '?',
                requestedSchema: { type: 'object', properties: {} },
              }),
            },
          }),
      }),
      defineTool({
        ...described('echo'),
        input: z.object({ text: z.string() }),
        run: ({ text }) => text,
      }),
      defineTool({
        ...described('wait'),
        run: (_, __, { signal }) => {
          blocked.resolve(signal);
          const { promise, reject } = Promise.withResolvers<string>();
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          return promise;
        },
      }),
    ],
  };

  test.each([
    ['ok', 'echo', { text: 'a' }],
    ['error', 'echo', {}],
    ['input_required', 'ask', {}],
    ['failed', 'x'.repeat(5000), {}, `${'x'.repeat(99)}…`],
  ])('a call has the outcome %s: %s with %j', async (outcome, name, args, subject = name) => {
    const { ask } = await connectTo(spec, MODERN, (line) => lines.push(line));
    await ask('tools/call', { name, arguments: args });
    expect(entries()).toMatchObject([{ method: 'tools/call', subject, outcome }]);
  });

  test('a cancelled call has the outcome cancelled', async () => {
    const { ask, notify } = await connectTo(spec, { ...LEGACY, over: 'stdio' }, (line) => lines.push(line));
    void ask('tools/call', { name: 'wait' });
    const signal = await blocked.promise;
    const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
    await notify('notifications/cancelled', { requestId: 1 });
    await ended;
    await new Promise((resolve) => setImmediate(resolve));
    expect(entries()).toMatchObject([{ method: 'tools/call', subject: 'wait', outcome: 'cancelled' }]);
  });
});
