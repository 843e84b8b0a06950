import { expect, test } from 'vitest';
import { redactKnown } from './known-secrets.ts';
import { redact as redactUnknown } from '@deskside/desktop';

/** As a service gets it. */
const redact = (text: string) => redactKnown(redactUnknown(text));

/** Built from parts, so that no scanner takes this file for a leak. */
const of = (...parts: readonly string[]) => parts.join('');

const letters = 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6';

test.each([
  ['Authorization: Bearer abcdefgh12345678', 'Authorization: Bearer [redacted]'],
  [`curl -H "authorization: token ${letters}"`, 'curl -H "authorization: token [redacted]"'],
  [`Bearer ${letters}`, 'Bearer [redacted]'],
  ['Basic dXNlcjpwYXNzd29yZDE=', 'Basic [redacted]'],
  ['DB_PASSWORD=correct-horse', 'DB_PASSWORD=[redacted]'],
  ['Password: hunter2!', 'Password: [redacted]'],
  ['"api_key": "abc def", x', '"api_key": [redacted], x'],
  ['postgres://u:p@ss@host/db', 'postgres://[redacted]host/db'],
  [
    of('aws_secret_access_key wJalrXUtnFEMI/K7MDENG', '/bPxRfiCYEXAMPLEKEY'),
    'aws_secret_access_key [redacted]',
  ],
  [
    of('https://hooks.slack.com/services/', 'T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX'),
    'https://hooks.slack.com/services/[redacted]',
  ],
  [
    of('https://discord.com/api/webhooks/', '123456789/', letters),
    'https://discord.com/api/webhooks/123456789/[redacted]',
  ],
  [of('sk_', 'live_', letters), '[redacted]'],
  [of('key sk-', 'proj-', letters), 'key [redacted]'],
  [of('gh', 'p_', letters), '[redacted]'],
  [of('github_', 'pat_', letters, letters, letters.slice(0, 10)), '[redacted]'],
  [of('gl', 'pat-', letters), '[redacted]'],
  [of('xo', 'xb-123456789012-', letters), '[redacted]'],
  [of('np', 'm_', letters), '[redacted]'],
  [of('hf', '_', letters), '[redacted]'],
  [of('whsec', '_', letters), '[redacted]'],
  [of('AIza', letters.slice(0, 35)), '[redacted]'],
  [of('bot 123456789', ':', letters.slice(0, 35)), 'bot [redacted]'],
  [of('AKIA', 'ABCDEFGHIJKLMNOP'), '[redacted]'],
  [of('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxIn0abc.', letters), '[redacted]'],
  ['DB_PASS=s3cr3tvalue', 'DB_PASS=[redacted]'],
  ['curl -u admin:Passw0rd! https://example.org', 'curl -u [redacted] https://example.org'],
  [of('the api key is 8f14e45f', 'ceea167a5a36dedd4bea2543'), 'the api key is [redacted]'],
  [of('DOCKER_AUTH=', 'dXNlcjpwYXNz'), 'DOCKER_AUTH=[redacted]'],
  [of('https://ntfy.sh/desk?auth=', 'QmVhcmVyIHRr'), 'https://ntfy.sh/desk?auth=[redacted]'],
  [of('py', 'pi-AgEIcHlwaS5vcmcCJ', letters), '[redacted]'],
  [of('tskey', '-auth-kABCDEF1CNTRL-', letters), '[redacted]'],
  [of('sntr', 'ys_eyJpYXQiOjE2', letters), '[redacted]'],
  [of('vercel_blob', '_rw_', letters), '[redacted]'],
  // Rules of secretlint.
  [of('SG', '.', letters, '.', letters, '-', letters), '[redacted]'],
  [of('sk', '-ant-api03-', letters, letters, letters.slice(0, 20), 'AA'), '[redacted]'],
  [of('two gl', 'pat-', letters, ' and np', 'm_', letters, ' here'), 'two [redacted] and [redacted] here'],
  ['-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----', '[redacted]'],
])('redact turns %j into %j', (text, redacted) => {
  expect(redact(text)).toBe(redacted);
});

test.each([
  'Found 3 tokens in the list',
  'Basic functionality works now',
  'pk_constraint_users and hf_transformers_cache exist',
  'sk-learn and sk-something-with-a-long-name are packages',
  'tokens: 5000 of 8000',
  'token: optional string',
  'Password: required',
  'The secret: always write tests',
  'https://example.org/@user/profile?to=me@example.org',
  'git+ssh://git@github.com/owner/repository.git',
  'see http://localhost:3000/x and mail me@example.org',
  'maxTokens=4096, token=null',
  'task-1234567890 at 10:30:00',
  'The test pass=3 of 5, compass=north, bypass: yes',
  'The api key is missing',
])('redact keeps %j', (text) => {
  expect(redact(text)).toBe(text);
});

test('a text cannot switch the rules off', () => {
  const token = of('gl', 'pat-', letters);
  expect(redact(`<!-- secretlint-disable -->\n${token}`)).toBe('<!-- secretlint-disable -->\n[redacted]');
});
