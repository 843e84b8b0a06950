import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { bin, run, written } from '../testing/bin.ts';
import { startReceiver } from '../testing/receiver.ts';

test('send delivers a message as the tool does, and fails because no person can see it now', async () => {
  const home = temporaryFolder();
  const args = ['send', '--level', 'warn', 'Back', 'up', '--context=safety', 'first', '--from', 'make'];
  const { code, stdout, stderr } = await run(home, args);
  expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/WARN {2}\[safety\] make: Back up first\n/);
  expect(stderr).toMatch(
    /No person can see the message now \(stderr: not a terminal, file: not followed, desktop: unavailable\)\.\n$/,
  );
  expect(written(home)).toStrictEqual([{ level: 'warn', context: 'safety', message: 'Back up first' }]);
});

test('send succeeds while a tail follows the file', async () => {
  const home = temporaryFolder();
  await run(home, ['send', 'opens the file']);
  await using tail = startProgram(bin(home, ['tail']));
  await tail.printed(/opens the file/);
  expect(await run(home, ['send', 'hello'])).toMatchObject({
    code: 0,
    stdout: 'Notification sent: hello (file)\n',
  });
  await tail.printed(/hello/);
  tail.child.kill('SIGINT');
  await tail.exited;
});

test('send reads a message from its input, and takes words after -- literally', async () => {
  const home = temporaryFolder();
  await run(home, ['send', '-'], 'from the input\n');
  await run(home, ['send', '--', '--level', 'is a word']);
  await run(home, ['send', '--', '-n', '-f', '--lines', '--help']);
  expect(written(home).map(({ message }) => message)).toStrictEqual([
    'from the input',
    '--level is a word',
    '-n -f --lines --help',
  ]);
});

test('for send, flags take precedence over the environment, and the environment over the file', async () => {
  const home = temporaryFolder();
  const config = join(home, 'c.toml');
  writeFileSync(config, 'filter = "off"\n');
  const sent = (args: readonly string[], env: Record<string, string>) =>
    run(home, ['send', 'x', '--config', config, ...args], '', env).then(({ stderr }) => stderr);
  expect(await sent([], {})).toMatch(/file: filter/);
  expect(await sent([], { LOG_NOTIFY_FILTER: 'info' })).toMatch(/file: not followed/);
  expect(await sent(['--filter', 'off'], { LOG_NOTIFY_FILTER: 'info' })).toMatch(/file: filter/);
});

test.each([
  [['send'], /Missing message\. Usage: send MESSAGE/],
  [['send', '--level', 'loud', 'x'], /--level: use one of info, warn, error/],
  [['send', '--filter', 'loud', 'x'], /--filter: Invalid filter directive "loud"/],
  [['send', '--file', '/', 'x'], /--file: use the path of a file: this is a folder/],
  [['send', '--colour', 'x'], /Unknown option "--colour"/],
  [
    ['send', '--filter', 'off', 'x'],
    /No person can see the message now \(stderr: filter, file: filter, desktop: filter\)\./,
  ],
])('the arguments %j fail with a reason', async (args, why) => {
  const { code, stdout, stderr } = await run(temporaryFolder(), args);
  expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(why);
});

test('send fails if no sink works, and prints the failure of each', async () => {
  const home = temporaryFolder();
  const config = join(home, 'c.toml');
  writeFileSync(config, '[stderr]\nenabled = false\n[desktop]\nenabled = false\n');
  const { code, stderr } = await run(home, ['send', '--config', config, '--file', '/dev/full', 'x']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/file: ENOSPC[\s\S]*No person can see the message now \(file: failing\)/);
});

test('send retries a webhook that responds with 500 first', async () => {
  const home = temporaryFolder();
  await using webhook = await startReceiver((response, count) =>
    response.writeHead(count === 1 ? 500 : 200).end(),
  );
  expect(await run(home, ['send', 'x'], '', { LOG_NOTIFY_WEBHOOK_URL: webhook.url.href })).toMatchObject({
    code: 0,
    stdout: 'Notification sent: x (webhook)\n',
  });
  expect(webhook.received).toHaveLength(2);
  expect(new Set(webhook.received.map(({ body }) => body)).size).toBe(1);
});

test('send ends within its time limit if a service does not answer, and the next start delivers once', async () => {
  const home = temporaryFolder();
  const delivered = Promise.withResolvers<void>();
  await using webhook = await startReceiver((response, count) => {
    if (count === 1) return;
    response.end();
    delivered.resolve();
  });
  const env = { LOG_NOTIFY_WEBHOOK_URL: webhook.url.href };
  const sent = await run(home, ['send', 'x'], '', env);
  expect(sent.code).toBe(1);
  expect(sent.stderr).toMatch(/1 notification waits for the next start\./);
  await using next = startProgram(bin(home, [], env));
  await delivered.promise;
  next.child.stdin.end();
  expect(await next.exited).toBe(0);
  expect(webhook.received).toHaveLength(2);
  expect(new Set(webhook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});
