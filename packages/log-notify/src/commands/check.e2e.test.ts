import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { emptyConfiguration, parseConfiguration } from '../config/parse-config.ts';
import { run } from '../testing/bin.ts';
import { startReceiver } from '../testing/receiver.ts';

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

test('check lists the problems of a configuration and shows no secret', async () => {
  const home = temporaryFolder();
  const config = join(home, 'c.toml');
  writeFileSync(
    config,
    `filter = "warn,[{context=analysis}]=off,loud"
color = true
[quiet_hours]
from = "22:00"
to = "7 o'clock"
[desktop]
level = "loud"
contexts = ["Safety"]
[[webhook]]
url = "http://example.org/hook"
[[webhook]]
name = "team"
url = "https://hooks.example.org/services/T000/SECRETPATH"
secret = "whsec_VERYSECRETVERYSECRETVERYSECRET12"
digest = "15m"
[[ntfy]]
topic = "desk"
token = "tk_HIDDEN"
`,
  );
  chmodSync(config, 0o644);
  const { code, stdout, stderr } = await run(home, ['check', '--config', config]);
  expect(code).toBe(1);
  expect(stderr).toBe('deskside-log-notify check: The configuration has problems.\n');
  expect(stdout.split('\n').filter((line) => line.startsWith('  problem: '))).toStrictEqual([
    expect.stringMatching(/Unknown key color\. Valid keys: filter, tracing/),
    expect.stringMatching(/quiet_hours\.to: use a time of day such as "22:00"/),
    expect.stringMatching(/quiet_hours is ignored/),
    expect.stringMatching(/desktop\.level: use one of info, warn, error/),
    expect.stringMatching(/webhook 1\.url: use an https:\/\/ URL/),
    expect.stringMatching(/webhook 1 is ignored/),
    expect.stringMatching(/contains secrets\. Other users can use .*Run: chmod 600 /),
    expect.stringMatching(/Invalid filter directive "loud"/),
  ]);
  expect(stdout).toContain('webhook team: https://hooks.example.org, signed');
  expect(stdout).toContain('only safety');
  expect(stdout).toContain('one summary every 15 min, except errors');
  expect(stdout).toMatch(/info {2}none\n/);
  expect(stdout).not.toMatch(/VERYSECRET|SECRETPATH|tk_HIDDEN/);
});

test('check fails if a named configuration does not exist', async () => {
  const home = temporaryFolder();
  const checked = await run(home, ['check', '--config', join(home, 'nowhere.toml')]);
  expect(checked).toMatchObject({
    code: 1,
    stderr: 'deskside-log-notify check: The configuration has problems.\n',
  });
  expect(checked.stdout).toContain('  problem: the file does not exist.\n');
});

test('check --send sends one notification to each sink, and fails if one refuses it', async () => {
  const home = temporaryFolder();
  await using works = await startReceiver();
  await using refuses = await startReceiver((response) => response.writeHead(403).end('invalid_token'));
  const config = join(home, 'c.toml');
  const webhooks = [works, refuses].map(({ url }) => `[[webhook]]\nurl = "${url.href}"\nlevel = "error"\n`);
  writeFileSync(config, `[desktop]\nenabled = false\n${webhooks.join('')}`, { mode: 0o600 });
  const { code, stdout, stderr } = await run(home, ['check', '--send', '--config', config]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/A sink did not accept the test notification\.\n$/);
  expect(stdout).toMatch(/\n {2}file: accepted the notification\n {2}webhook: accepted the notification\n/);
  expect(stdout).toMatch(/\n {2}webhook 2: 127\.0\.0\.1:\d+ responded with 403 \(invalid_token\)\n/);
  expect(works.received).toHaveLength(1);
});

test('init writes a configuration that changes nothing, and does not replace an existing one', async () => {
  const home = temporaryFolder();
  const file = join(home, 'config/deskside/log-notify.toml');
  const { code, stdout } = await run(home, ['init']);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`Created ${file}\n`) });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = readFileSync(file, 'utf8');
  expect(parseConfiguration(before)).toStrictEqual({ configuration: emptyConfiguration(), problems: [] });
  // With the comment signs removed, every setting is valid.
  const settings = before.replaceAll(/^# (?=\[|[\w_]+ = )/gm, '').replaceAll('…', 'A'.repeat(40));
  expect(parseConfiguration(settings).problems).toStrictEqual([]);
  expect(await run(home, ['init'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/exists already\. Edit it, or choose another path with --config\.\n$/),
  });
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('check shows the rules, and who gets an example', async () => {
  const home = temporaryFolder();
  const config = join(home, 'c.toml');
  const rules = '[[rule]]\nproject = "shop-*"\nlevel = "warn"\naway = "2m"\nto = ["ntfy"]\n';
  writeFileSync(
    config,
    `[stderr]\nenabled = false\n[[ntfy]]\ntopic = "desk"\n[[slack]]\nurl = "https://example.org/x"\n${rules}`,
    {
      mode: 0o600,
    },
  );
  const check = async (words: string) => {
    const { code, stdout } = await run(home, ['check', '--config', config, '--for', words]);
    expect(code).toBe(0);
    return stdout.slice(stdout.indexOf('Rules'));
  };
  expect(await check('level=error project=shop-api away=5m')).toBe(
    `Rules, of which the first that fits decides:
  1. project shop-*, warn and above, no input for 2 min: ntfy

Example: level=error project=shop-api away=5m
  file: yes
  ntfy: yes (rule 1)
  slack: no (rule 1)
`,
  );
  expect(await check('level=error project=shop-api')).toMatch(
    /\n {2}file: yes\n {2}ntfy: yes\n {2}slack: yes\n$/,
  );
  const wrong = await run(home, ['check', '--config', config, '--for', 'urgency=5']);
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('Names: level, context') });
});

test('check shows when an error goes on to the next sink', async () => {
  const home = temporaryFolder();
  const config = join(home, 'log-notify.toml');
  const services = ['slack', 'discord'].map((kind) => `[[${kind}]]\nurl = "https://example.org/${kind}"\n`);
  writeFileSync(
    config,
    `[desktop]\nenabled = false\n${services.join('')}[[rule]]\nto = ["slack", "discord"]\nescalate = "5m"\n`,
  );
  chmodSync(config, 0o600);
  const check = async (words: string) =>
    (await run(home, ['check', '--config', config, '--for', words])).stdout;
  const error = await check('level=error');
  expect(error).toContain('1. everything: slack; an error that is not seen for 5 min: discord');
  expect(error).toMatch(/slack: yes \(rule 1\)\n {2}discord: if it is not seen for 5 min \(rule 1\)\n$/);
  expect(await check('level=warn')).toMatch(/slack: yes \(rule 1\)\n {2}discord: no \(rule 1\)\n$/);
});

test('a service that cannot be opened is a problem', async () => {
  const home = temporaryFolder();
  const config = join(home, 'c.toml');
  const toml = '[[webhook]]\nurl = "https://example.org/message"\ntemplate = "gotify"\n';
  writeFileSync(config, toml, { mode: 0o600 });
  const { code, stdout } = await run(home, ['check', '--config', config]);
  expect({ code, stdout }).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('  problem: webhook: the template gotify needs token\n'),
  });
});

test('an example goes first to the first sink of a rule that exists', async () => {
  const home = temporaryFolder();
  const config = join(home, 'c.toml');
  const services = ['slack', 'discord'].map((kind) => `[[${kind}]]\nurl = "https://example.org/${kind}"\n`);
  const rule = '[[rule]]\nto = ["desktop", "slack", "discord"]\nescalate = "5m"\n';
  writeFileSync(config, `[desktop]\nenabled = false\n${services.join('')}${rule}`, { mode: 0o600 });
  const { stdout } = await run(home, ['check', '--config', config, '--for', 'level=error']);
  expect(stdout).toMatch(/slack: yes \(rule 1\)\n {2}discord: if it is not seen for 5 min \(rule 1\)\n$/);
});

test('an example passes over a sink that cannot be opened', async () => {
  const home = temporaryFolder();
  const config = join(home, 'c.toml');
  const webhook = '[[webhook]]\nurl = "https://example.org/message"\ntemplate = "gotify"\n';
  const discord = '[[discord]]\nurl = "https://example.org/discord"\n';
  const rule = '[[rule]]\nto = ["webhook", "discord"]\nescalate = "5m"\n';
  writeFileSync(config, `${webhook}${discord}${rule}`, { mode: 0o600 });
  const { stdout } = await run(home, ['check', '--config', config, '--for', 'level=error']);
  expect(stdout).toContain('  discord: yes (rule 1)\n');
});
