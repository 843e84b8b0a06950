import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { run } from '../testing/bin.ts';

describe('check', () => {
  test('without a configuration says what the defaults do', async () => {
    const home = temporaryFolder();
    const { code, stdout } = await run(home, ['check']);
    expect(code).toBe(0);
    expect(stdout.replaceAll(home, 'HOME')).toBe(`Configuration: HOME/config/deskside/log-notify.toml
  nothing is wrong

Sinks:
  stderr: the server's error output
    info and graver; 20 at once, then 120 a minute; repeats folded for 60 s
  file: HOME/state/deskside/notify.jsonl, rotated at 10000000 bytes, 5 old files kept
    info and graver; no limit
  desktop: does nothing now: there is no desktop session: neither a display nor a D-Bus session bus
    warn and graver; 3 at once, then 12 a minute; repeats folded for 60 s

What goes where:
  info  stderr, file
  warn  stderr, file
  error stderr, file
`);
  });

  test('says what is wrong in one, and shows no secret', async () => {
    const home = temporaryFolder();
    const config = join(home, 'c.toml');
    writeFileSync(
      config,
      `filter = "warn,[{context=analysis}]=off,loud"
colour = true
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
    expect(stderr).toBe('deskside-log-notify check: something in the configuration is wrong\n');
    expect(stdout.split('\n').filter((line) => line.startsWith('  wrong: '))).toStrictEqual([
      expect.stringMatching(/colour is unknown; there are filter, tracing/),
      expect.stringMatching(/quiet_hours\.to: use a time of day such as "22:00"/),
      expect.stringMatching(/quiet_hours is left out/),
      expect.stringMatching(/desktop\.level: use one of info, warn, error/),
      expect.stringMatching(/webhook 1\.url: use an https:\/\/ address/),
      expect.stringMatching(/webhook 1 is left out/),
      expect.stringMatching(/others can read it, and it holds secrets: chmod 600/),
      expect.stringMatching(/"loud" is skipped/),
    ]);
    expect(stdout).toContain('webhook team: https://hooks.example.org, signed');
    expect(stdout).toContain('only safety');
    expect(stdout).toContain('all but errors in one summary every 15 min');
    expect(stdout).toMatch(/info {2}nowhere\n/);
    expect(stdout).not.toMatch(/VERYSECRET|SECRETPATH|tk_HIDDEN/);
  });
});
