import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { StartError } from '../errors/index.ts';
import { temporaryFolder } from '../testkit/environment.ts';
import { allNamesIn, namesIn, replaceFile } from './files.ts';

/** A system on which a program has the file open for some attempts to replace it. */
function busyFile(platform: NodeJS.Platform, code: string, attempts: number) {
  const { rename } = files;
  let left = attempts;
  const mocks = [
    vi.spyOn(os, 'platform').mockReturnValue(platform),
    vi.spyOn(files, 'rename').mockImplementation(async (from, to) => {
      left -= 1;
      if (left >= 0) throw Object.assign(new Error(code), { code });
      await rename(from, to);
    }),
  ];
  const wait = vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const mock of [...mocks, wait]) mock.mockRestore();
    syncBuiltinESMExports();
  });
  return wait;
}

test.each(['EPERM', 'EACCES', 'EBUSY'])(
  'on Windows, replaceFile waits up to a second while a program has the file open (%s)',
  async (code) => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'a');
    const wait = busyFile('win32', code, 20);
    await replaceFile(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(wait.mock.calls).toStrictEqual(Array.from({ length: 20 }, () => [50]));
  },
);

test.each([
  ['win32', 'EPERM', 21, 20],
  ['win32', 'ENOSPC', 1, 0],
  ['linux', 'EPERM', 1, 0],
] as const)(
  'on %s, replaceFile reports %s after %s attempts, and leaves no draft',
  async (platform, code, attempts, waits) => {
    using folder = temporaryFolder();
    const wait = busyFile(platform, code, attempts);
    await expect(replaceFile(join(folder.path, 'a'), 'new')).rejects.toMatchObject({ code });
    expect(wait).toHaveBeenCalledTimes(waits);
    expect(readdirSync(folder.path)).toStrictEqual([]);
  },
);

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

test('replaceFile writes a file with the given mode', async () => {
  using folder = temporaryFolder();
  await replaceFile(join(folder.path, 'open'), 'text', 0o644);
  // Windows knows only whether a file can be written.
  const mode = process.platform === 'win32' ? 0o666 : 0o644;
  expect(statSync(join(folder.path, 'open')).mode & 0o777).toBe(mode);
});
