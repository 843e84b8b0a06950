import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { platform, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StartError } from '../errors/index.ts';
import { temporaryFolder } from '../testkit/environment.ts';
import { replaceFile } from './files.ts';
import { checkPrivate, privacyProblem, readPrivateFile } from './private-file.ts';

function emptyFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

test('a private file is written with mode 0600 in a folder with mode 0700, and read', async () => {
  const file = join(emptyFolder(), 'new/secret');
  expect(await readPrivateFile(file)).toBeUndefined();
  await replaceFile(file, 'one');
  await replaceFile(file, 'two');
  expect(await readPrivateFile(file)).toBe('two');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
});

test('a folder and a file that is too large are not read', async () => {
  const folder = emptyFolder();
  await expect(readPrivateFile(folder)).rejects.toThrow('it is not a file');
  writeFileSync(join(folder, 'large'), '12345', { mode: 0o600 });
  await expect(readPrivateFile(join(folder, 'large'), { maxBytes: 4 })).rejects.toThrow(
    'it is larger than 4 bytes',
  );
  expect(await readPrivateFile(join(folder, 'large'), { maxBytes: 5 })).toBe('12345');
});

test.skipIf(platform() === 'win32').each([0o640, 0o602])(
  'a file with mode %o is not read, and the command in the message corrects it when it is pasted',
  async (mode) => {
    const folder = join(emptyFolder(), `Ada's "Application Support" $HOME`);
    const file = join(folder, 'tokens; echo.json');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(file, 'content');
    chmodSync(file, mode);
    const problem = await readPrivateFile(file).catch((error: unknown) => error);
    if (!(problem instanceof StartError)) throw new Error('no StartError');
    const [, command = ''] = /^Other users can use .*\. Run: (chmod .*)$/.exec(problem.message) ?? [];
    expect(await readPrivateFile(file, { mayBeShared: true })).toBe('content');

    execFileSync('sh', ['-c', command]);
    expect(await readPrivateFile(file)).toBe('content');
  },
);

test.skipIf(platform() === 'win32')('the command for a folder keeps it usable for its owner', () => {
  const folder = join(emptyFolder(), "a 'b'");
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const { remedy = '' } = privacyProblem(folder, statSync(folder)) ?? {};
  execFileSync('sh', ['-c', remedy.replace('Run: ', '')]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(privacyProblem(folder, statSync(folder))).toBeUndefined();
});

test.skipIf(platform() === 'win32')('a private file of another user is a problem', () => {
  const folder = emptyFolder();
  const { uid } = userInfo();
  expect(() => checkPrivate(folder, statSync(folder), uid)).not.toThrow();
  expect(() => checkPrivate(folder, statSync(folder), uid + 1)).toThrow(
    `${folder} belongs to another user. Run this as that user, or delete it.`,
  );
});
