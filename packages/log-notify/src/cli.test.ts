import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectHttp, connectStdio, firstText, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { bin, run, written } from './testing/bin.ts';

const ERAS = ['legacy', 'modern'] as const;

test.each(ERAS)('the server over stdio in the %s era needs no configuration', async (era) => {
  const home = temporaryFolder();
  {
    await using peer = await connectStdio(bin(home), { era });
    const answer = await peer.callTool('notify', { message: 'Careful', level: 'warn' });
    expect(firstText(answer)).toBe('Notification sent: Careful');
    expect(answer._meta).toMatchObject({
      'deskside/delivery': { delivered: ['stderr', 'file'], suppressed: { desktop: 'unavailable' } },
    });
  }
  expect(written(home)).toStrictEqual([{ level: 'warn', context: 'llm', message: 'Careful' }]);
  expect(statSync(join(home, 'state/deskside/notify.jsonl')).mode & 0o777).toBe(0o600);
});

test('over HTTP in both eras', async () => {
  const home = temporaryFolder();
  await using server = startProgram(
    bin(home, ['--http', '--port', '0'], { DESKSIDE_TOKEN: 'a-token-of-the-test' }),
  );
  const [, url = ''] = await server.printed(/serves MCP at (\S+)\n/);
  for (const era of ERAS) {
    await using peer = await connectHttp(url, { era, token: 'a-token-of-the-test' });
    expect(firstText(await peer.callTool('notify', { message: era }))).toBe(`Notification sent: ${era}`);
  }
  await server.printed(/INFO {2}\[llm\] modern/);
});

test('stdout carries the protocol alone, stderr the notification as one line', async () => {
  const home = temporaryFolder();
  const call = { name: 'notify', arguments: { message: 'a\nb', level: 'error' } };
  const lines = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call },
  ];
  const { code, stdout, stderr } = await run(
    home,
    [],
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  expect(code).toBe(0);
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  expect(stderr.split('\n').filter((line) => line.includes('ERROR'))).toStrictEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT\S+Z ERROR \[llm\] a\\nb$/),
  ]);
});

test.each(['the end of its input', 'SIGTERM'] as const)(
  'what waits at %s is still delivered',
  async (end) => {
    const home = temporaryFolder();
    await using server = startProgram(bin(home));
    const call = { name: 'notify', arguments: { message: 'said three times' } };
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const write = (message: object) =>
      server.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    write({ id: 1, method: 'initialize', params });
    write({ method: 'notifications/initialized' });
    for (const id of [2, 3, 4]) write({ id, method: 'tools/call', params: call });
    await server.printed(/"id":4/);
    if (end === 'SIGTERM') server.child.kill('SIGTERM');
    else server.child.stdin.end();
    expect(await server.exited).toBe(0);
    expect(written(home)).toHaveLength(3);
    expect(server.stderr()).toMatch(/INFO {2}\[llm\] said three times \(\+2 similar in \d+ s\)\n/);
  },
);

test.each([
  [['--help'], /tail {6}shows what models[\s\S]*--config FILE {2}\(LOG_NOTIFY_CONFIG/],
  [['tail', '--help'], /Usage: deskside-log-notify tail \[options\][\s\S]*--alert KIND/],
  [['send', '--help'], /Usage: deskside-log-notify send MESSAGE\.\.\. \[options\]/],
  [['render', '--help'], /Usage: deskside-log-notify render FILE\.liquid \[NAME=VALUE\.\.\.\] \[options\]/],
  [['check', '--help'], /It sends nothing/],
  [['--version'], /^\d+\.\d+\.\d+\n$/],
  [['tail', '--version'], /^\d+\.\d+\.\d+\n$/],
])('%j helps', async (args, help) => {
  const { code, stdout, stderr } = await run(temporaryFolder(), args);
  expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(help);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(240);
});

test('a host that never reads stderr costs no answer, and the server still ends', async () => {
  const home = temporaryFolder();
  const { command, args, env } = bin(home);
  const server = spawn(command, args, { env, stdio: 'pipe' });
  const exited = once(server, 'exit');
  const write = (message: object) =>
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  write({ id: 0, method: 'initialize', params });
  write({ method: 'notifications/initialized' });
  const calls = 200;
  for (let id = 1; id <= calls; id += 1) {
    const message = `${id} ${'x'.repeat(5000)}`;
    write({ id, method: 'tools/call', params: { name: 'notify', arguments: { message, level: 'error' } } });
  }
  let answered = 0;
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes('Notification sent: ')) answered += 1;
    if (answered === calls) server.stdin.end();
  }
  expect(await exited).toStrictEqual([0, null]);
  expect(answered).toBe(calls);
  expect(written(home)).toHaveLength(calls);
});
