import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectHttp, connectStdio, firstText, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { bin, run, written } from './testing/bin.ts';
import { linesOf, notifyCall, opening } from './testing/json-rpc.ts';

const ERAS = ['legacy', 'modern'] as const;

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
  expect(statSync(join(home, 'state/deskside/notify.jsonl')).mode & 0o777).toBe(0o600);
});

test('with stderr as the only sink, the answer does not say that the message waits', async () => {
  const home = temporaryFolder();
  const config = join(home, 'only-stderr.toml');
  writeFileSync(config, '[file]\nenabled = false\n[desktop]\nenabled = false\n');
  await using peer = await connectStdio(bin(home, ['--config', config]), { era: 'modern' });
  const answer = await peer.callTool('notify', { message: 'Careful' });
  expect(answer.content[1]).toMatchObject({
    text: 'The message went to stderr only, where the person may not see it. If it matters, tell the person in your answer.',
  });
});

test('over HTTP the server answers clients of both eras', async () => {
  const home = temporaryFolder();
  await using server = startProgram(
    bin(home, ['--http', '--port', '0'], { DESKSIDE_TOKEN: 'a-token-of-the-test' }),
  );
  const [, url = ''] = await server.printed(/serves MCP at (\S+)\n/);
  for (const era of ERAS) {
    await using peer = await connectHttp(url, { era, token: 'a-token-of-the-test' });
    expect(firstText(await peer.callTool('notify', { message: era }))).toBe(`Notification sent: ${era}`);
  }
  await server.printed(/INFO {2}\[llm\] [^:]+: modern/);
});

test('stdout contains JSON-RPC only, and stderr one line per notification', async () => {
  const input = linesOf([...opening, notifyCall(2, { message: 'a\nb', level: 'error' })]);
  const { code, stdout, stderr } = await run(temporaryFolder(), [], input);
  expect(code).toBe(0);
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  expect(stderr.split('\n').filter((line) => line.includes('ERROR'))).toStrictEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT\S+Z ERROR \[llm\] x · [^:]+: a\\nb$/),
  ]);
});

test.each(['the end of its input', 'SIGTERM'] as const)(
  'after %s the server delivers what waits',
  async (end) => {
    const home = temporaryFolder();
    await using server = startProgram(bin(home));
    const calls = [2, 3, 4].map((id) => notifyCall(id, { message: 'sent three times' }));
    server.child.stdin.write(linesOf([...opening, ...calls]));
    await server.printed(/"id":4/);
    if (end === 'SIGTERM') server.child.kill('SIGTERM');
    else server.child.stdin.end();
    expect(await server.exited).toBe(0);
    expect(written(home)).toHaveLength(3);
    expect(server.stderr()).toMatch(
      /2 notifications were held back in \d+ s \(2 info\):\\n- .*sent three times \(2 times\)\n/,
    );
  },
);

test('a host that does not read stderr gets every answer, and the server still exits', async () => {
  const home = temporaryFolder();
  const { command, args, env } = bin(home);
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

test.skipIf(process.getuid?.() !== 0)('the bin works under a user id without a passwd entry', () => {
  const home = temporaryFolder();
  chmodSync(home, 0o777);
  const { command, args, env } = bin(home, ['send', 'no passwd entry']);
  const sent = spawnSync(command, args, { env, uid: 54_321, gid: 54_321, encoding: 'utf8' });
  expect(sent).toMatchObject({ status: 1, stderr: expect.stringContaining('file: not followed') });
  expect(written(home).map(({ message }) => message)).toStrictEqual(['no passwd entry']);
});

test('a configuration that does not exist is reported once, by the server at its start and by send', async () => {
  const config = join(temporaryFolder(), 'nowhere.toml');
  await using server = startProgram(bin(temporaryFolder(), [], { LOG_NOTIFY_CONFIG: config }));
  await server.printed(/nowhere\.toml does not exist\. The defaults apply until it is created\./);
  server.child.stdin.end();
  expect(await server.exited).toBe(0);
  const sent = await run(temporaryFolder(), ['send', 'x', '--config', config]);
  expect(sent.stderr.match(/does not exist/g)).toHaveLength(1);
});
