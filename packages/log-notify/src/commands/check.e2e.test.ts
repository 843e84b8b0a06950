import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
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
