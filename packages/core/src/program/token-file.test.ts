import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { StartError } from '../errors/index.ts';
import { temporaryFolder } from '../testkit/environment.ts';
import { folders } from './folders.ts';
import { loadOrCreateToken, serverSecret } from './token-file.ts';

let folder: string;
beforeEach(() => {
  const created = temporaryFolder();
  folder = created.path;
  return () => {
    vi.unstubAllEnvs();
    created[Symbol.dispose]();
  };
});

function useHome(home: string): void {
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_DATA_HOME', '');
}

test('of ten concurrent callers one creates the token, readable by its owner only, and all get it', async () => {
  const file = join(folder, 'new', 'token');
  const kept = await Promise.all(Array.from({ length: 10 }, () => loadOrCreateToken(file)));
  expect(new Set(kept).size).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(`${kept[0]}\n`);
  expect(kept[0]).toMatch(/^[\w-]{43}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, 'new'))).toEqual(['token']);
  expect(await loadOrCreateToken(file)).toBe(kept[0]);
});

test.each([
  [' \n', 'it is empty'],
  ['too short', 'its content is not a valid token'],
  ['é'.repeat(20), 'its content is not a valid token'],
])('a token file with the content %j is refused: %s', async (content, reason) => {
  const file = join(folder, 'token');
  writeFileSync(file, content, { mode: 0o600 });
  await expect(loadOrCreateToken(file)).rejects.toThrow(`${reason}; delete it`);
});

test('a folder in place of the token file stops the start and names DESKSIDE_TOKEN', async () => {
  chmodSync(folder, 0o700);
  await expect(loadOrCreateToken(folder)).rejects.toBeInstanceOf(StartError);
  await expect(loadOrCreateToken(folder)).rejects.toThrow(/set DESKSIDE_TOKEN/);
});

test('a link that leads nowhere in place of the token file stops the start, and is not tried for ever', async () => {
  const file = join(folder, 'token');
  symlinkSync(join(folder, 'gone'), file);
  await expect(loadOrCreateToken(file)).rejects.toThrow(
    /it is a link that leads nowhere.*set DESKSIDE_TOKEN/,
  );
  expect(readdirSync(folder)).toEqual(['token']);
});

test('a token file or secret file that others can read is refused with the command that corrects it', async () => {
  useHome(folder);
  const file = join(folders().data, 'secret');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'a-token-of-this-test\n');
  chmodSync(file, 0o640);
  const problem = `Other users can use ${file}. Run: chmod 600 ${file}`;
  await expect(loadOrCreateToken(file)).rejects.toThrow(problem);
  await expect(serverSecret({})).rejects.toThrow(problem);
  await expect(serverSecret({ token: 'a-token' })).rejects.toBeInstanceOf(StartError);
});

test('a secret file is created, unless a token from the environment stands for it', async () => {
  useHome(folder);
  expect(await serverSecret({ token: 'a-token' })).toBeUndefined();
  const secret = await serverSecret({});
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(statSync(join(folders().data, 'secret')).mode & 0o777).toBe(0o600);
  expect(await serverSecret({ token: 'a-token' })).toBe(secret);
});

test('a user without a home folder needs no secret file with a token from the environment', async () => {
  useHome('');
  expect(await serverSecret({ token: 'a-token' })).toBeUndefined();
  await expect(serverSecret({})).rejects.toThrow(StartError);
  expect(await serverSecret({ secret: 'a-secret' })).toBe('a-secret');
});
