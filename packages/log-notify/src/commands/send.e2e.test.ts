import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Command, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import { bin, run, written } from '../testing/bin.ts';
import { startReceiver } from '../testing/receiver.ts';

test('send delivers a message as the tool does, and fails because no person can see it now', async () => {
  const home = temporaryFolder();
  const args = ['send', '--level', 'warn', 'Back', 'up', '--context=safety', 'first', '--from', 'make'];
  const { code, stdout, stderr } = await run(home, args);
  expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/WARN {2}\[safety\] make: Back up first\n/);
  expect(stderr).toMatch(
    /No one sees this now \(stderr: not a terminal, file: not followed, desktop: unavailable\)\.\n$/,
  );
  expect(written(home)).toStrictEqual([{ level: 'warn', context: 'safety', message: 'Back up first' }]);
});

/** Runs a command in a user namespace without inotify instances, where the kernel lets ordinary users make one. */
function withoutInotify({ command, args, ...rest }: Command): Command {
  const limited = ['-Ur', 'sh', '-c', 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"', 'sh'];
  const isLimited = spawnSync('unshare', [...limited, 'true']).status === 0;
  return isLimited
    ? { ...rest, command: 'unshare', args: [...limited, command, ...args] }
    : { ...rest, command, args };
}

test('send succeeds while a tail follows the file, which needs no inotify', async () => {
  const home = temporaryFolder();
  await run(home, ['send', 'opens the file']);
  await using tail = startProgram(withoutInotify(bin(home, ['tail'])));
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
  [
    ['send', '--filter', 'off', 'x'],
    /No one sees this now \(stderr: filter, file: filter, desktop: filter\)\./,
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
  expect(stderr).toMatch(/file: ENOSPC[\s\S]*No one sees this now \(file: failing\)/);
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

test('send waits for a service that answers late', async () => {
  const home = temporaryFolder();
  await using webhook = await startReceiver((response) => {
    // Longer than a server takes to end.
    setTimeout(() => response.end(), 3500);
  });
  expect(await run(home, ['send', 'x'], '', { LOG_NOTIFY_WEBHOOK_URL: webhook.url.href })).toMatchObject({
    code: 0,
    stdout: 'Notification sent: x (webhook)\n',
  });
  expect(webhook.received).toHaveLength(1);
});

const claude = {
  session_id: '4f6c0a52-7a0e-4f3c-9d3e-0c1f4f9f6b11',
  transcript_path: '/home/me/.claude/projects/-home-me-shop/4f6c0a52.jsonl',
  cwd: '/home/me/shop',
  permission_mode: 'default',
};

/** All that the hosts pass to their hooks: Claude Code on standard input, Codex as the last argument. */
const HOOKS = [
  {
    input: {
      ...claude,
      hook_event_name: 'PermissionRequest',
      tool_name: 'Bash',
      tool_input: { command: 'pnpm publish', description: 'Publish the packages', timeout: 120_000 },
      permission_suggestions: [
        {
          type: 'addRules',
          rules: [{ toolName: 'Bash', ruleContent: 'pnpm publish' }],
          behavior: 'allow',
          destination: 'localSettings',
        },
      ],
    },
    title: 'Claude Code · shop asks for permission',
    message: 'It wants to run `pnpm publish`\nPublish the packages',
  },
  {
    argument: {
      type: 'agent-turn-complete',
      'thread-id': 'b5f6c1c2-1111-2222-3333-444455556666',
      'turn-id': '12345',
      cwd: '/home/me/shop',
      client: 'codex-tui',
      'input-messages': ['Rename foo to bar.'],
      'last-assistant-message': 'Renamed in three files.',
    },
    title: 'Codex · shop has finished',
    message: 'Renamed in three files.',
  },
] as const;

test.each(HOOKS)('send --hook notifies the person, and no agent waits for it: $title', async (hook) => {
  const requested = Promise.withResolvers<ServerResponse>();
  await using phone = await startReceiver(requested.resolve);
  // Of a desktop: without one, the terminal is the place.
  const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus', SSH_CONNECTION: '' };
  const env = { LOG_NOTIFY_NTFY_TOPIC: 'desk', LOG_NOTIFY_NTFY_URL: phone.url.href, ...bus };
  const [args, input] =
    'argument' in hook ? [[JSON.stringify(hook.argument)], ''] : [[], JSON.stringify(hook.input)];
  const ran = await run(temporaryFolder(), ['send', '--hook', ...args], input, env);
  // Hosts read the output of their hooks.
  expect(ran).toStrictEqual({ code: 0, stdout: '', stderr: '' });
  const unanswered = await requested.promise;
  expect(unanswered.destroyed).toBe(false);
  unanswered.end();
  const { title, message } = hook;
  expect(phone.received.map(({ body }) => JSON.parse(body))).toMatchObject([{ title, message }]);
});

test('send --hook over SSH returns the notification of the terminal to a host that shows it', async () => {
  const ssh = { SSH_CONNECTION: '10.0.0.2 50022 10.0.0.1 22' };
  const [permission] = HOOKS;
  const ran = await run(temporaryFolder(), ['send', '--hook'], JSON.stringify(permission.input), ssh);
  expect(JSON.parse(ran.stdout)).toStrictEqual({
    terminalSequence: `\u001B]9;${permission.title}: ${permission.message.replace('\n', ' · ')}\u001B\\\u0007`,
  });
});

test('send --hook respects the options of its command line, also for the text of Codex', async () => {
  const home = temporaryFolder();
  const file = join(home, 'hook.jsonl');
  const codex = HOOKS.find((hook) => 'argument' in hook)?.argument;
  const ran = await run(home, ['send', '--hook', '--file', file, JSON.stringify(codex)], '', {});
  expect(ran).toStrictEqual({ code: 0, stdout: '', stderr: '' });
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('Renamed in three files.'), 10_000);
});

test('send --hook sends nothing for what another hook has sent, and says that it needs JSON', async () => {
  const home = temporaryFolder();
  const prompt = {
    ...claude,
    hook_event_name: 'Notification',
    message: 'Claude needs your permission to use Bash',
    notification_type: 'permission_prompt',
  };
  const silent = await run(home, ['send', '--hook'], JSON.stringify(prompt));
  expect(silent).toStrictEqual({ code: 0, stdout: '', stderr: '' });
  expect(existsSync(join(home, 'state'))).toBe(false);
  const { code, stderr } = await run(home, ['send', '--hook'], 'no JSON');
  expect(code).toBe(1);
  expect(stderr).toContain('--hook needs the JSON that an agent passes to its hooks.');
});
