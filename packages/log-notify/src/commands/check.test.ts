import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, StartError } from '@deskside/core/errors';
import { recordedContext, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { emptyConfiguration, parseConfiguration } from '../config/parse-config.ts';
import { NO_LOCAL_SINKS } from '../testing/delivery.ts';
import { startReceiver } from '../testing/receiver.ts';
import { check } from './check.ts';
import { init } from './init.ts';

const services = ['slack', 'discord'].map((kind) => `[[${kind}]]\nurl = "https://example.org/${kind}"\n`);
/** A service that cannot be opened. */
const gotify = '[[webhook]]\nurl = "https://example.org/message"\ntemplate = "gotify"\n';

/** What `check` prints for a configuration, also of an example, and the error with which it fails. */
async function checked(
  toml: string,
  flags: { readonly for?: string; readonly send?: true } = {},
  mode = 0o600,
) {
  const config = join(temporaryFolder(), 'c.toml');
  writeFileSync(config, toml);
  chmodSync(config, mode);
  const context = recordedContext();
  const error: unknown = await Promise.resolve(check.run({ config, ...flags }, context)).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  const { output } = context.written;
  return {
    output,
    error,
    failure: error === undefined ? undefined : messageOf(error),
    example: output.slice(output.indexOf('Example')),
  };
}

test.each([
  ['level=eror project=shop', 'Use info, warn, error for level in --for.'],
  ['level=', 'Use info, warn, error for level in --for.'],
  ['level=error nonsense', 'Use words like level=error in --for.'],
  ['caller="Claude Code level=error', 'Use words like level=error in --for.'],
  ['level=error away=soon', 'Use a duration such as 5m for away in --for.'],
])('check refuses the example %j', async (words, sentence) => {
  const { error, failure } = await checked(NO_LOCAL_SINKS, { for: words });
  expect(error).toBeInstanceOf(StartError);
  expect(failure).toContain(sentence);
});

test('check lists the problems of a configuration and shows no secret', async () => {
  const toml = `filter = "warn,[{context=analysis}]=off,loud"
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
`;
  const { output, failure } = await checked(toml, {}, 0o644);
  expect(failure).toBe('The configuration has problems.');
  expect(output.split('\n').filter((line) => line.startsWith('  problem: '))).toStrictEqual([
    expect.stringMatching(/Unknown key color\. Valid keys: filter, tracing/),
    expect.stringMatching(/quiet_hours\.to: use a time of day such as "22:00"/),
    expect.stringMatching(/quiet_hours is ignored/),
    expect.stringMatching(/desktop\.level: use one of info, warn, error/),
    expect.stringMatching(/webhook 1\.url: use an https:\/\/ URL/),
    expect.stringMatching(/webhook 1 is ignored/),
    expect.stringMatching(/contains secrets\. Other users can use .*Run: chmod 600 /),
    expect.stringMatching(/Invalid filter directive "loud"/),
  ]);
  expect(output).toContain('webhook team: https://hooks.example.org, signed');
  expect(output).toContain('only safety');
  expect(output).toContain('one summary every 15 min, except errors');
  expect(output).toMatch(/info {2}none\n/);
  expect(output).not.toMatch(/VERYSECRET|SECRETPATH|tk_HIDDEN/);
});

test.each([
  ['[[webhook]]\nurl = "https://hooks.slack.com/services/T0/B0/x"', 0o640, 1],
  ['[[ntfy]]\ntopic = "x"', 0o640, 1],
  ['[[ntfy]]\ntopic = "x"', 0o600, 0],
  ['filter = "info"\n[file]\npath = "/x"', 0o644, 0],
])('a secret in %j with the mode %i is a problem if others can read it: %i', async (toml, mode, count) => {
  const { output } = await checked(toml, {}, mode);
  const problem = /problem: the file contains secrets\. Other users can use (.+)\. Run: chmod 600 \1\n/g;
  expect(output.match(problem) ?? []).toHaveLength(count);
});

test('check says that a named file does not exist, or cannot be read', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  for (const [config, problem] of [
    [join(folder, 'c.toml'), 'the file does not exist.'],
    [join(folder, 'file/c.toml'), 'cannot read the file (ENOTDIR).'],
  ] as const) {
    const context = recordedContext();
    await expect(check.run({ config }, context)).rejects.toThrow('The configuration has problems.');
    expect(context.written.output).toContain(`  problem: ${problem}\n`);
  }
});

test('check --send sends one notification to each sink past its level, fails if one refuses it, and prints no active character of an answer', async () => {
  await using hostile = await startReceiver((response) =>
    response.writeHead(403).end('\u001B]0;owned\u0007\n  x: ok'),
  );
  await using mute = await startReceiver((response) => {
    response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
  });
  await using works = await startReceiver();
  const tables = [hostile, mute, works].map(
    ({ url }) => `[[webhook]]\nurl = "${url.href}"\nlevel = "error"\n`,
  );
  const { output, failure } = await checked(NO_LOCAL_SINKS + tables.join(''), { send: true });
  expect(failure).toBe('A sink did not accept the test notification.');
  expect(works.received).toHaveLength(1);
  expect(output.slice(output.indexOf('Test:')).replaceAll(/:\d+/g, '').split('\n').slice(1, 4)).toStrictEqual(
    [
      String.raw`  webhook: 127.0.0.1 responded with 403 (\x1b]0;owned\x07\n  x: ok)`,
      '  webhook 2: cannot reach 127.0.0.1: the connection ended without an answer',
      '  webhook 3: accepted the notification',
    ],
  );
});

const rule = '[[rule]]\nproject = "shop-*"\nlevel = "warn"\naway = "2m"\nto = ["slack"]\n';
const escalating = (to: string) => `[[rule]]\nto = [${to}]\nescalate = "5m"\n`;
const leveled = '[[ntfy]]\ntopic = "t"\nlevel = "warn"\n';

test.each([
  ['level=info', leveled, '  ntfy: no (level)\n  slack: yes\n  discord: yes\n'],
  ['level=warning', leveled, '  ntfy: yes\n  slack: yes\n  discord: yes\n'],
  ['level=ERROR caller="Claude Code" ', leveled, '  ntfy: yes\n  slack: yes\n  discord: yes\n'],
  ['level=error project=shop-api away=5m', rule, '  slack: yes (rule 1)\n  discord: no (rule 1)\n'],
  ['level=error project=shop-api', rule, '  slack: yes\n  discord: yes\n'],
  [
    'level=error',
    escalating('"slack", "discord"'),
    '  slack: yes (rule 1)\n  discord: if it is not seen for 5 min (rule 1)\n',
  ],
  ['level=warn', escalating('"slack", "discord"'), '  slack: yes (rule 1)\n  discord: no (rule 1)\n'],
  [
    'level=error',
    escalating('"desktop", "slack", "discord"'),
    '  slack: yes (rule 1)\n  discord: if it is not seen for 5 min (rule 1)\n',
  ],
])('check says who gets the example %s by the rule %j', async (words, rules, printed) => {
  const { example } = await checked(`${NO_LOCAL_SINKS}${services.join('')}${rules}`, { for: words });
  expect(example).toBe(`Example: ${words}\n${printed}`);
});

test('check describes the rules', async () => {
  const rules = `${rule}${escalating('"slack", "discord"')}`;
  const { output } = await checked(`${NO_LOCAL_SINKS}${services.join('')}${rules}`);
  expect(output).toContain(`Rules, of which the first that fits decides:
  1. project shop-*, warn and above, no input for 2 min: slack
  2. everything: slack; an error that is not seen for 5 min: discord
`);
});

test('a service that cannot be opened is a problem, and an example passes over it', async () => {
  const toml = `${NO_LOCAL_SINKS}${gotify}${services.join('')}${escalating('"webhook", "discord"')}`;
  const { output, failure } = await checked(toml, { for: 'level=error' });
  expect(failure).toBe('The configuration has problems.');
  expect(output).toContain('  problem: webhook: the template gotify needs token\n');
  expect(output).toContain('  discord: yes (rule 1)\n');
});

test('init writes a configuration that changes nothing, says how to test it, and does not replace one', async () => {
  const config = join(temporaryFolder(), 'folder/log-notify.toml');
  const context = recordedContext();
  await init.run({ config }, context);
  expect(context.written.output).toContain(`Created ${config}\n`);
  expect(context.written.output).toContain('test it with "check --send" in place of "init"');
  expect(statSync(config).mode & 0o777).toBe(0o600);
  const before = readFileSync(config, 'utf8');
  expect(before).toContain('Test it with: deskside-log-notify check --send, or');
  expect(parseConfiguration(before)).toStrictEqual({ configuration: emptyConfiguration(), problems: [] });
  // With the comment signs removed, every setting is valid.
  const settings = before.replaceAll(/^# (?=\[|[\w_]+ = )/gm, '').replaceAll('…', 'A'.repeat(40));
  expect(parseConfiguration(settings).problems).toStrictEqual([]);
  await expect(init.run({ config }, recordedContext())).rejects.toThrow(
    /exists already\. Edit it, or choose another path with --config\.$/,
  );
  expect(readFileSync(config, 'utf8')).toBe(before);
});
