import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StartError } from '../errors/index.ts';
import { temporaryFolder } from '../testkit/environment.ts';
import { allNamesIn, isObject, isOldNode, namesIn, replaceFile } from './index.ts';
import { escapeHtml } from '../text/index.ts';

test('isObject accepts objects, but neither arrays nor null', () => {
  expect([{}, { a: 1 }, new Date(0)].every(isObject)).toBe(true);
  expect([null, undefined, [], 'text', 1, () => 1].some(isObject)).toBe(false);
});

test('isOldNode compares the version with the oldest one that runs the packages', () => {
  expect(['18.20.8', '20.20.2', '22.2.0', '22.17.9'].every(isOldNode)).toBe(true);
  expect(['22.18.0', '22.20.1', '23.0.0', '24.1.0'].some(isOldNode)).toBe(false);
});

test('escapeHtml makes a text safe between tags and in quoted attributes', () => {
  expect(escapeHtml(`<a href='x' title="&amp;">`)).toBe(
    '&lt;a href=&#39;x&#39; title=&quot;&amp;amp;&quot;&gt;',
  );
});

test('a folder that does not exist has no names, and allNamesIn names what stands in its place', () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  for (const names of [namesIn, allNamesIn]) {
    expect(names(folder.path)).toEqual(['file']);
    expect(names(join(folder.path, 'missing'))).toEqual([]);
  }
  for (const path of [file, join(file, 'below', 'folder')]) {
    expect(namesIn(path)).toEqual([]);
    const problem = `The folder ${path} cannot be read: ${file} is a file. Move it away.`;
    expect(() => allNamesIn(path)).toThrow(new StartError(problem));
  }
  // Longer than names may be.
  const long = join(folder.path, 'x'.repeat(300));
  expect(() => allNamesIn(long)).toThrow(`${long} cannot be read: ENAMETOOLONG`);
});

test('a file that cannot be replaced stays, and no draft is left', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'target'));
  await expect(replaceFile(join(folder.path, 'target'), 'text')).rejects.toThrow('target');
  expect(readdirSync(folder.path)).toEqual(['target']);
  await replaceFile(join(folder.path, 'open'), 'text', 0o644);
  // Windows knows only whether a file can be written.
  const mode = process.platform === 'win32' ? 0o666 : 0o644;
  expect(statSync(join(folder.path, 'open')).mode & 0o777).toBe(mode);
});
