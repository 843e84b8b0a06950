import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Command, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import { bin, journalOf, run, written } from '../testing/bin.ts';
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

test('send succeeds while a tail follows the file, which needs no inotify, and not after its end', async () => {
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
  expect(await tail.exited).toBe(130);
  expect((await run(home, ['send', 'goodbye'])).stderr).toContain('file: not followed');
});

test('send reads a message from its input', async () => {
  const home = temporaryFolder();
  await run(home, ['send', '-'], 'from the input\n');
  expect(written(home)).toMatchObject([{ message: 'from the input' }]);
});

test.each([
  [['send'], /Missing message\. Usage: send MESSAGE/],
  [
    ['send', '--filter', 'off', 'x'],
    /No one sees this now \(stderr: filter, file: filter, desktop: filter\)\./,
  ],
  [['send', '--hook', 'no JSON'], /--hook needs the JSON that an agent passes to its hooks\./],
  [['render'], /Missing template/],
  [['render', 'missing.liquid'], /missing\.liquid cannot be read\. Pass its path\./],
  [['render', 'x.liquid', 'novalue'], /"novalue" is not a NAME=VALUE pair/],
])('the arguments %j fail with a reason', async (args, why) => {
  const { code, stdout, stderr } = await run(temporaryFolder(), args);
  expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(why);
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

/** Claude Code passes an event on standard input, Codex as the last argument. */
const permission = {
  event: JSON.stringify({
    cwd: '/home/me/shop',
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'git push', description: 'Push the branch' },
  }),
  title: 'Claude Code · shop asks for permission',
  message: 'It wants to run `git push`\nPush the branch',
};
const turn = {
  event: '{"type":"agent-turn-complete","cwd":"/home/me/shop","client":"codex-tui","turn-id":"1"}',
  title: 'Codex · shop has finished',
  message: 'It waits for you.',
};

test.each([
  { ...permission, args: [], input: permission.event, ssh: '' },
  // Codex shows no sequence of a terminal.
  { ...turn, args: [turn.event], input: '', ssh: '10.0.0.2 50022 10.0.0.1 22' },
])('send --hook notifies the person with its options, and no agent waits for it: $title', async (hook) => {
  const requested = Promise.withResolvers<ServerResponse>();
  await using phone = await startReceiver(requested.resolve);
  const { title, message, args, input, ssh } = hook;
  // Of a desktop: without one, the terminal is the place.
  const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus', SSH_CONNECTION: ssh };
  const env = { LOG_NOTIFY_NTFY_TOPIC: 'desk', LOG_NOTIFY_NTFY_URL: phone.url.href, ...bus };
  const home = temporaryFolder();
  const file = join(home, 'hook.jsonl');
  const ran = await run(home, ['send', '--hook', '--file', file, ...args], input, env);
  // Hosts read the output of their hooks.
  expect(ran).toStrictEqual({ code: 0, stdout: '', stderr: '' });
  const unanswered = await requested.promise;
  expect(unanswered.destroyed).toBe(false);
  unanswered.end();
  expect(phone.received.map(({ body }) => JSON.parse(body))).toMatchObject([{ title, message }]);
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), 10_000);
});

test('send --hook over SSH returns the notification of the terminal to a host that shows it', async () => {
  const ssh = { SSH_CONNECTION: '10.0.0.2 50022 10.0.0.1 22' };
  const ran = await run(temporaryFolder(), ['send', '--hook'], permission.event, ssh);
  expect(JSON.parse(ran.stdout)).toStrictEqual({
    terminalSequence: `\u001B]9;${permission.title}: ${permission.message.replace('\n', ' · ')}\u001B\\\u0007`,
  });
});

test('send --hook sends nothing for what another hook has sent', async () => {
  const home = temporaryFolder();
  const message = 'Claude needs your permission to use Bash';
  const prompt = { ...JSON.parse(permission.event), hook_event_name: 'Notification', message };
  const silent = await run(home, ['send', '--hook'], JSON.stringify(prompt));
  expect(silent).toStrictEqual({ code: 0, stdout: '', stderr: '' });
  expect(existsSync(join(home, 'state'))).toBe(false);
});

test('check without a configuration describes the defaults', async () => {
  const home = temporaryFolder();
  const { code, stdout } = await run(home, ['check']);
  expect(code).toBe(0);
  expect(stdout.replaceAll(home, 'HOME')).toBe(`Configuration: HOME/config/deskside/log-notify.toml
  no problems

Sinks:
  stderr: the server's standard error
    info and above; up to 20 at once, then 120 per minute; repeats merged for 60 s
  file: HOME/state/deskside/notify.jsonl, rotated at 10000000 bytes, at most 5 rotated files
    info and above; no rate limit
  desktop: not available: no desktop session found: no display and no D-Bus session bus
    warn and above; up to 3 at once, then 12 per minute; repeats merged for 60 s

Sinks by level:
  info  stderr, file
  warn  stderr, file
  error stderr, file
`);
});

/** A certificate of this machine, and that of the authority that signed it. */
function privateAuthority() {
  const folder = temporaryFolder();
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const request = 'req -x509 -newkey rsa:2048 -nodes -days 2'.split(' ');
  openssl(...request, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Authority of this house');
  const signed = '-keyout own.key -out own.pem -CA ca.pem -CAkey ca.key -subj /CN=ntfy.lan'.split(' ');
  openssl(...request, ...signed, '-addext', 'subjectAltName=IP:127.0.0.1');
  const [key, cert] = ['own.key', 'own.pem'].map((name) => readFileSync(join(folder, name)));
  return { authority: join(folder, 'ca.pem'), tls: { key, cert } };
}

test('a service with a certificate of an own authority is reached where the authority is named, and else says what to do', async () => {
  const { authority, tls } = privateAuthority();
  await using service = await startReceiver(undefined, tls);
  const home = temporaryFolder();
  const checked = async (env: Record<string, string>) => {
    const own = { LOG_NOTIFY_WEBHOOK_URL: service.url.href, ...env };
    const { stdout } = await run(home, ['check', '--send'], '', own);
    return / {2}webhook: (.*)\n$/.exec(stdout)?.[1];
  };
  expect(await checked({})).toBe(
    `cannot reach ${service.url.host}: its certificate is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE). Start this program with NODE_EXTRA_CA_CERTS=FILE of its authority`,
  );
  expect(await checked({ NODE_EXTRA_CA_CERTS: authority })).toBe('accepted the notification');
  expect(service.received).toHaveLength(1);
});

test('doctor describes what the environment offers to each sink', async () => {
  const home = temporaryFolder();
  const { code, stdout, stderr } = await run(home, ['doctor']);
  expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
  expect(stdout.replaceAll(home, 'HOME').replace(/ \d+\.\d+\.\d+/, ' VERSION'))
    .toBe(`deskside-log-notify VERSION

✓ No problems found.

configuration  HOME/config/deskside/log-notify.toml (does not exist, the defaults apply)
stderr         not a terminal (a host may hide it)
file           HOME/state/deskside/notify.jsonl (writable)
desktop        not available: no desktop session found: no display and no D-Bus session bus

--all shows 1 more.
`);
});

test('doctor lists each sink, tests no service, and fails if the configuration or the file is unusable', async () => {
  const home = temporaryFolder();
  const config = join(home, 'c.toml');
  const toml = 'color = true\n[desktop]\nlevel = "loud"\n[[ntfy]]\ntopic = "desk"\n';
  writeFileSync(config, toml, { mode: 0o600 });
  writeFileSync(join(home, 'notify-send'), '', { mode: 0o755 });
  const args = ['doctor', '--config', config, '--file', join(config, 'notify.jsonl')];
  const { code, stdout } = await run(home, args, '', { DISPLAY: ':9', PATH: home });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^desktop +available$/m);
  expect(stdout).toMatch(/^ntfy +not tested \(deskside-log-notify check --send tests it\)$/m);
  expect(stdout).toContain(
    '  ✗ The configuration has problems (2).\n    Run deskside-log-notify check to see them.\n',
  );
  expect(stdout).toMatch(/The folder \S+c\.toml cannot be written \(ENOTDIR\)/);
  expect(stdout).toContain('choose another path with --file');
});

const template =
  '{% if complexity > 5 %}{{ notify "Complex", level: "warn" }}{% endif %}Hello {{ name }}{% render "part" %}\n';

function files(): string {
  const home = temporaryFolder();
  writeFileSync(join(home, 'page.liquid'), template);
  writeFileSync(join(home, 'part.liquid'), '!{{ notify "part" }}');
  return home;
}

test('render --mode instruct writes instructions for a model into the output', async () => {
  const home = files();
  writeFileSync(join(home, 'values.json'), '{"complexity": 9, "name": "Bob"}');
  const args = ['--mode', 'instruct', '--data', join(home, 'values.json'), 'name=Eve'];
  const { stdout } = await run(home, ['render', join(home, 'page.liquid'), ...args]);
  expect(stdout).toBe(
    '[Call the tool notify with {"message":"Complex","level":"warn"}]Hello Eve![Call the tool notify with {"message":"part"}]\n',
  );
});

test('render waits for its notifications, also if a rule asks how long the person is away', async () => {
  const home = files();
  const config = join(home, 'rules.toml');
  writeFileSync(config, '[[rule]]\naway = "2m"\nto = []\n');
  writeFileSync(join(home, 'gdbus'), '#!/bin/sh\nsleep 0.5\nexit 1\n', { mode: 0o755 });
  const args = ['render', join(home, 'page.liquid'), '--config', config, 'complexity=7', 'name=Ada'];
  await run(home, args, '', { PATH: `${home}:${process.env['PATH'] ?? ''}` });
  expect(
    written(home)
      .map(({ message }) => String(message))
      .toSorted(),
  ).toStrictEqual(['Complex', 'part']);
});

test('render reads no partial outside the folder of the template, and what was sent before is recorded as sent', async () => {
  const home = temporaryFolder();
  writeFileSync(join(home, 'out.liquid'), '{{ notify "sent before" }}{% render "/etc/hostname" %}');
  const { code, stderr } = await run(home, ['render', join(home, 'out.liquid')]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/ENOENT/);
  expect(written(home)).toMatchObject([{ message: 'sent before' }]);
  await using journal = journalOf(home);
  expect(await journal.records()).toMatchObject([
    { caller: 'render', outcome: 'stored', content: { text: 'sent before', level: 'info' } },
  ]);
});
