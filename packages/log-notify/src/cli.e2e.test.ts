import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { connectStdio, firstText, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { bin, written } from './testing/bin.ts';
import { linesOf, notifyCall, opening } from './testing/json-rpc.ts';
import { startReceiver } from './testing/receiver.ts';

test('over stdio the server needs no configuration', async () => {
  const home = temporaryFolder();
  {
    await using peer = await connectStdio(bin(home), { era: 'modern' });
    const answer = await peer.callTool('notify', { message: 'Careful', level: 'warn' });
    expect(firstText(answer)).toBe('Notification sent: Careful');
    expect(answer._meta).toMatchObject({
      'deskside/delivery': {
        delivered: [],
        unseen: { stderr: 'not a terminal', file: 'not followed' },
        suppressed: { desktop: 'unavailable' },
      },
    });
    // stderr merges it with the first, where no person sees the summary either.
    const repeated = await peer.callTool('notify', { message: 'Careful', level: 'warn' });
    expect(repeated.content[1]).toMatchObject({
      text: expect.stringContaining('The message waits for the person, who'),
    });
  }
  const careful = { level: 'warn', context: 'llm', message: 'Careful' };
  expect(written(home)).toStrictEqual([careful, careful]);
});

test.each(['the end of its input', 'SIGTERM'] as const)(
  'after %s the server delivers what waits; stdout contains JSON-RPC only, and stderr lines',
  async (end) => {
    const home = temporaryFolder();
    await using server = startProgram(bin(home));
    const calls = [2, 3, 4].map((id) => notifyCall(id, { message: 'sent\nthree times' }));
    server.child.stdin.write(linesOf([...opening, ...calls]));
    await server.printed(/"id":4/);
    if (end === 'SIGTERM') server.child.kill('SIGTERM');
    else server.child.stdin.end();
    expect(await server.exited).toBe(0);
    expect(written(home)).toHaveLength(3);
    for (const line of server.stdout().trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(
      server
        .stderr()
        .split('\n')
        .filter((line) => line.includes('sent')),
    ).toStrictEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\dT\S+Z INFO {2}\[llm\] x · [^:]+: sent\\nthree times$/),
      expect.stringMatching(/2 notifications were held back in \d+ s \(2 info\):\\n- .*sent \(2 times\)$/),
    ]);
  },
);

test('a host that does not read stderr gets every answer while a service hangs, and the server still exits', async () => {
  const home = temporaryFolder();
  await using service = await startReceiver(() => undefined);
  const { command, args, env } = bin(home, [], { LOG_NOTIFY_WEBHOOK_URL: service.url.href });
  const server = spawn(command, args, { env, stdio: 'pipe' });
  const exited = once(server, 'exit');
  const calls = 200;
  const messages = Array.from({ length: calls }, (_, index) => `${index} ${'x'.repeat(5000)}`);
  const sent = messages.map((message, index) => notifyCall(index + 2, { message, level: 'error' }));
  server.stdin.write(linesOf([...opening, ...sent]));
  let answered = 0;
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes('Notification sent: ')) answered += 1;
    if (answered === calls) server.stdin.end();
  }
  expect(await exited).toStrictEqual([0, null]);
  expect(answered).toBe(calls);
  expect(written(home)).toHaveLength(calls);
});
