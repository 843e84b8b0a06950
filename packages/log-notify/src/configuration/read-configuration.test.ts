import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { readConfiguration } from './read-configuration.ts';

function problemsOf(toml: string, mode: number): readonly string[] {
  const path = join(temporaryFolder(), 'c.toml');
  writeFileSync(path, toml);
  chmodSync(path, mode);
  return readConfiguration(path, true).problems;
}

const webhook = '[[webhook]]\nurl = "https://example.org/"\n';

test.each([
  `${webhook}secret = "a text"`,
  `${webhook}headers = { Authorization = "Bearer x" }`,
  `${webhook}headers = { X-Api-Key = "x" }`,
  '[[webhook]]\nurl = "https://me:word@example.org/"',
  '[[apprise]]\nurl = "https://token@example.org/"\nkey = "k"',
  '[[ntfy]]\ntopic = "x"\ntoken = "tk_x"',
  '[[ntfy]]\ntopic = "x"\nurl = "https://me:word@example.org/"',
])('%j should be for the owner alone', (toml) => {
  expect(problemsOf(toml, 0o640)).toStrictEqual(['others can read it, and it holds secrets: chmod 600 it.']);
  expect(problemsOf(toml, 0o600)).toStrictEqual([]);
});

test.each([webhook, `${webhook}headers = { X-Team = "desk" }`, 'filter = "info"'])(
  '%j may be read by others',
  (toml) => {
    expect(problemsOf(toml, 0o644)).toStrictEqual([]);
  },
);

test('a file that is missing is a problem where it must exist, a folder always', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'c.toml');
  expect(readConfiguration(path, false).problems).toStrictEqual([]);
  expect(readConfiguration(path, true).problems).toStrictEqual(['there is no such file.']);
  mkdirSync(path);
  expect(readConfiguration(path, false).problems).toStrictEqual(["it can't be read (EISDIR)."]);
});
