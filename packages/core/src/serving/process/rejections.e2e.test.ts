import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = `
  import { defineServer, toolDefiner } from '@deskside/core';
import { serve } from '@deskside/core/serving';
  import { z } from 'zod';
  const later = toolDefiner()({
    name: 'later',
    title: 'Later',
    description: 'Rejects after its answer',
    annotations: {},
    input: z.object({}),
    run() {
      setImmediate(() => void Promise.reject(new Error('too late')));
      return 'ok';
    },
  });
  await serve(defineServer({ name: 's', version: '1.0.0', deps: null, tools: [later] }), {
    rejectionFields: () => ({ mount: 'weather' }),
  });
`;

test('a rejection that no code handles is logged with its fields, and the server keeps serving', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd: join(import.meta.dirname, '../../..'),
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [ended, log] = [once(child, 'close'), text(child.stderr)];
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const clientInfo = { name: 'test', version: '1' };
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const requests = [
    ['initialize', initialize],
    ...[1, 2, 3].map(() => ['tools/call', { name: 'later' }] as const),
  ] as const;
  for (const [id, [method, params]] of requests.entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    expect(JSON.parse((await lines.next()).value ?? 'null')).toMatchObject({ id, result: expect.anything() });
  }
  child.stdin.end();
  expect(await ended).toStrictEqual([0, null]);
  expect((await log).split('\n')).toContainEqual(
    expect.stringMatching(/"unhandled rejection","mount":"weather","error":"Error: too late/),
  );
});
