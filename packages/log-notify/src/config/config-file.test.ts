import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { readConfiguration } from './config-file.ts';

function problemsOf(toml: string, mode: number): readonly string[] {
  const path = join(temporaryFolder(), 'c.toml');
  writeFileSync(path, toml);
  chmodSync(path, mode);
  return readConfiguration(path, true).problems;
}

test.each(['[[webhook]]\nurl = "https://hooks.slack.com/services/T0/B0/x"', '[[ntfy]]\ntopic = "x"'])(
  'a file with the secret in %j must not be readable by others',
  (toml) => {
    expect(problemsOf(toml, 0o640)).toStrictEqual([
      expect.stringMatching(/^the file contains secrets\. Other users can use (.+)\. Run: chmod 600 \1$/),
    ]);
    expect(problemsOf(toml, 0o600)).toStrictEqual([]);
  },
);

test('a file without secrets may be readable by others', () => {
  expect(problemsOf('filter = "info"\n[file]\npath = "/x"', 0o644)).toStrictEqual([]);
});

test('a missing file is a problem only if it must exist, and a folder always is one', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'c.toml');
  expect(readConfiguration(path, false).problems).toStrictEqual([]);
  expect(readConfiguration(path, true).problems).toStrictEqual(['the file does not exist.']);
  mkdirSync(path);
  expect(readConfiguration(path, false).problems).toStrictEqual(['cannot read the file (EISDIR).']);
});
