import { expect, test } from 'vitest';
import { redact } from './redact.ts';

test.each([
  ['Authorization: Bearer abcdefgh12345678', 'Authorization: Bearer [redacted]'],
  ['password=hunter2 and more', 'password=[redacted] and more'],
  ['"api_key": "abc def", x', '"api_key": [redacted], x'],
  ['https://me:secret@example.org/x', 'https://[redacted]example.org/x'],
  ['key sk-abcdefghijkl', 'key [redacted]'],
  ['ghp_abcdefghijklmnop', '[redacted]'],
  ['AKIAABCDEFGHIJKLMNOP', '[redacted]'],
  ['-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----', '[redacted]'],
  ['Found 3 tokens in the list', 'Found 3 tokens in the list'],
])('%j leaves this machine as %j', (text, safe) => {
  expect(redact(text)).toBe(safe);
});
