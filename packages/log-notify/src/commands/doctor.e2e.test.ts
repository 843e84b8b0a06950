import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { run } from '../testing/bin.ts';

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

test('doctor finds the desktop driver, and lists services without testing them', async () => {
  const home = temporaryFolder();
  const config = join(home, 'c.toml');
  writeFileSync(config, '[[ntfy]]\ntopic = "desk"\n', { mode: 0o600 });
  writeFileSync(join(home, 'notify-send'), '');
  chmodSync(join(home, 'notify-send'), 0o755);
  const env = { DISPLAY: ':9', PATH: home };
  const { code, stdout } = await run(home, ['doctor', '--config', config], '', env);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^desktop +available$/m);
  expect(stdout).toMatch(/^ntfy +not tested \(deskside-log-notify check --send tests it\)$/m);
});

test('doctor fails if the file is a path below a file', async () => {
  const home = temporaryFolder();
  writeFileSync(join(home, 'c.toml'), '');
  const { code, stdout } = await run(home, ['doctor', '--file', join(home, 'c.toml/notify.jsonl')]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/The folder \S+c\.toml cannot be written \(ENOTDIR\)/);
  expect(stdout).toContain('choose another path with --file');
});

test('doctor fails if the configuration has problems, and names the command that lists them', async () => {
  const home = temporaryFolder();
  const config = join(home, 'c.toml');
  writeFileSync(config, 'color = true\n[desktop]\nlevel = "loud"\n');
  const { code, stdout } = await run(home, ['doctor', '--config', config]);
  expect(code).toBe(1);
  expect(stdout).toContain(
    '  ✗ The configuration has problems (2).\n    Run deskside-log-notify check to see them.\n',
  );
});
