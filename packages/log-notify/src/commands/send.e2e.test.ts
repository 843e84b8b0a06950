import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { run, written } from '../testing/bin.ts';

test('send delivers a message as the tool does', async () => {
  const home = temporaryFolder();
  const args = ['send', '--level', 'warn', 'Back', 'up', '--context=safety', 'first'];
  const { code, stdout, stderr } = await run(home, args);
  expect({ code, stdout }).toStrictEqual({ code: 0, stdout: 'Notification sent: Back up first\n' });
  expect(stderr).toMatch(/WARN {2}\[safety\] Back up first\n$/);
  expect(written(home)).toStrictEqual([{ level: 'warn', context: 'safety', message: 'Back up first' }]);
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
    run(home, ['send', 'x', '--config', config, ...args], '', env).then(({ code }) => code);
  expect(await sent([], {})).toBe(1);
  expect(await sent([], { LOG_NOTIFY_FILTER: 'info' })).toBe(0);
  expect(await sent(['--filter', 'off'], { LOG_NOTIFY_FILTER: 'info' })).toBe(1);
});

test.each([
  [['send'], /Missing message\. Usage: send MESSAGE/],
  [['send', '--level', 'loud', 'x'], /--level: use one of info, warn, error/],
  [['send', '--colour', 'x'], /Unknown option "--colour"/],
  [
    ['send', '--filter', 'off', 'x'],
    /No sink accepted the message \(stderr: filter, file: filter, desktop: filter\)\./,
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
  expect(stderr).toMatch(/file: ENOSPC[\s\S]*No sink accepted the message/);
});

test('send retries a webhook that responds with 500 first', async () => {
  const home = temporaryFolder();
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      return response.writeHead(bodies.length === 1 ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const config = join(home, 'c.toml');
  writeFileSync(config, `[[webhook]]\nurl = "http://127.0.0.1:${(server.address() as AddressInfo).port}/"\n`);
  expect(await run(home, ['send', '--config', config, 'x'])).toMatchObject({ code: 0 });
  expect(bodies).toHaveLength(2);
  expect(new Set(bodies).size).toBe(1);
});
