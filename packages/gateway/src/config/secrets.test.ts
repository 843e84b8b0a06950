import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { referenceProblem, secretsFrom, withoutReferences } from './secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'deskside-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function secretFile(name: string, text: string, mode = 0o600): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const secrets = () => secretsFrom({ env: { TOKEN: 't0ken', EMPTY: '', NESTED: '${env:TOKEN}' }, folder });

test.each([
  ['plain text', 'plain text'],
  ['Bearer ${env:TOKEN}', 'Bearer t0ken'],
  ['${env:TOKEN}${env:TOKEN}', 't0kent0ken'],
  ['$${env:TOKEN} and $5 {x}', '${env:TOKEN} and $5 {x}'],
  ['key=${file:one}', 'key=first'],
  ['${file:./two}', 'two\nlines'],
  // Without a byte order mark.
  ['Bearer ${file:marked}', 'Bearer key'],
  // It is not looked up again in a value.
  ['${env:NESTED}', '${env:TOKEN}'],
  ['${env:TOKEN:-a}|${env:UNSET:-a:-b c}|${env:EMPTY:-b}|${env:UNSET:-}', 't0ken|a:-b c|b|'],
])('the references in %j become %j', async (text, expected) => {
  secretFile('one', 'first\n');
  secretFile('two', 'two\nlines\n');
  secretFile('marked', '\uFEFFkey\r\n');
  expect(referenceProblem(text)).toBeUndefined();
  expect(await secrets().resolve(text)).toBe(expected);
});

test.each([
  ['${env:GONE}', 'The variable GONE is not set. Set it where Deskside starts, or use ${file:PATH}.'],
  ['${env:EMPTY}', 'The variable EMPTY is not set. Set it where Deskside starts, or use ${file:PATH}.'],
  ['${file:gone}', `The secret in ${folder}/gone cannot be read: it does not exist. Correct it.`],
  ['${file:empty}', `The secret in ${folder}/empty cannot be read: it is empty. Correct it.`],
  ['${file:.}', `The secret in ${folder} cannot be read: it is not a file. Correct it.`],
  [
    '${file:large}',
    `The secret in ${folder}/large cannot be read: it is larger than 65536 bytes. Correct it.`,
  ],
  ['${file:open}', `Other users can use ${folder}/open. Run: chmod 600 ${folder}/open`],
])('the secret %s cannot be used: %s', async (text, message) => {
  secretFile('empty', '\n');
  secretFile('large', 'x'.repeat(65_537));
  secretFile('open', 'secret', 0o644);
  await expect(secrets().resolve(text)).rejects.toThrow(message);
});

test('messages do not contain the values that were looked up', async () => {
  secretFile('key', 'first line\nsecond line\n');
  const own = secrets();
  expect(own.redact('t0ken')).toBe('t0ken');
  await own.resolve('${env:TOKEN}');
  await own.resolve('${file:key}');
  expect(own.redact('401 for t0ken, t0ken; second line: first line')).toBe(
    '401 for <hidden>, <hidden>; <hidden>: <hidden>',
  );
});

test('messages contain a value neither as a part of a URL nor of JSON, no literal that is to be hidden, and no part of a value', async () => {
  const own = secretsFrom({ env: { KEY: 'a "key"/é', LONG: 'literal-ijkl' }, folder }, ['literal']);
  expect(own.redact('literal')).toBe('<hidden>');
  const url = await own.resolve('https://example.com/?key=${env:KEY}');
  expect(own.redact(new URL(url).href)).toBe('https://example.com/?key=<hidden>');
  expect(own.redact(JSON.stringify({ url }))).toBe('{"url":"https://example.com/?key=<hidden>"}');
  expect(own.redact(encodeURIComponent('a "key"/é'))).toBe('<hidden>');
  // It contains the literal.
  await own.resolve('${env:LONG}');
  expect(own.redact('literal-ijkl')).toBe('<hidden>');
});

test('what surrounds a reference can be checked without its value', () => {
  expect(withoutReferences('https://${env:HOST}/$${x}')).toBe('https://secret/${x}');
});
