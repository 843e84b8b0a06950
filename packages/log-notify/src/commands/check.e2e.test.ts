import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { run } from '../testing/bin.ts';

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
