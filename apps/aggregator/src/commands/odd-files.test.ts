import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { machine } from '../testing/machine.ts';

// More than any stack holds: compiled code needs a fraction of the frames.
const LEVELS = 100_000;

test('a client file with too many levels, or one that is no file, is refused in one line', async () => {
  const { write, run, home } = machine();
  const text = `{"mcpServers":{},"deep":${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}}`;
  const file = write('cursor', text);
  expect(await run('cursor')).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: `${file}: It has too many levels.\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(existsSync(join(home, 'data/deskside/connections.json'))).toBe(false);
});

test.skipIf(process.platform === 'win32')(
  'a pipe, a folder and a dangling link are refused in one line',
  async () => {
    const { fileOf, run, home } = machine();
    const file = fileOf('cursor');
    mkdirSync(dirname(file), { recursive: true });
    execFileSync('mkfifo', [file]);
    expect((await run('cursor')).stderr).toBe(`${file}: It is not a file.\n`);
    const zed = fileOf('zed');
    mkdirSync(zed, { recursive: true });
    expect((await run('zed')).stderr).toBe(`${zed}: It is not a file.\n`);
    const linked = fileOf('lmstudio');
    mkdirSync(dirname(linked), { recursive: true });
    symlinkSync(join(home, 'dotfiles/mcp.json'), linked);
    const refused = await run('lmstudio');
    expect(refused.stderr).toBe(
      `${linked}: It is a link to a file that does not exist. Create that file, or delete the link.\n`,
    );
    expect(lstatSync(linked).isSymbolicLink()).toBe(true);
    expect(existsSync(join(home, 'data/deskside/connections.json'))).toBe(false);
  },
);

test.each([
  ['cursor', '{"mcpServers":{"deskside":{"command":"mine","args":["--x"]}}}'],
  ['codex', '[mcp_servers.deskside]\ncommand = "mine"\n'],
])('an entry "deskside" of the person in the file of %s stays', async (id, text) => {
  const { write, run, home } = machine();
  const file = write(id, text);
  const refused = await run(id);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(`has another server "deskside" in ${file}. Remove or rename it first.`);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(existsSync(join(home, 'data/deskside/connections.json'))).toBe(false);
});

/** A file with nothing in it, or with settings of the person below the name, and what of it an entry keeps. */
test.each([
  ['cursor', '', ''],
  ['cursor', '{\n}\n', ''],
  ['codex', '\n\n', ''],
  ['cursor', '{"mcpServers":{"deskside":{"disabled":true}}}', 'disabled'],
  ['codex', '[mcp_servers.deskside]\ntool_timeout_sec = 7\n', '= 7'],
])('undo gives the file of %s with %j its bytes back', async (id, text, kept) => {
  const { write, run } = machine();
  const file = write(id, text);
  for (const name of ['one', 'two']) expect(await run(id, { as: name })).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toContain(kept);
  expect(await run(id, { undo: true })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('undo gives the files of rules and hooks their bytes back, and deletes those that it has made', async () => {
  const { home, run, fileOf, write } = machine(['claude', 'gemini']);
  const settings = join(home, '.claude/settings.json');
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, '{}\n');
  write('claude-code', '{}\n');
  expect(await run('claude-code', { allow: true, hooks: true })).toMatchObject({ code: 0 });
  expect(readFileSync(settings, 'utf8')).toContain('send --hook');
  expect(await run('claude-code', { 'no-allow': true, 'no-hooks': true })).toMatchObject({ code: 0 });
  expect(readFileSync(settings, 'utf8')).toBe('{}\n');
  expect(await run('claude-code', { undo: true })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(settings, 'utf8')).toBe('{}\n');
  expect(await run('gemini', { allow: true })).toMatchObject({ code: 0 });
  expect(await run('gemini', { undo: true })).toMatchObject({ code: 0, stderr: '' });
  expect([fileOf('gemini'), join(home, '.gemini/policies/deskside.toml')].filter(existsSync)).toStrictEqual(
    [],
  );
});

test('what the person has removed meanwhile does not delete a file that had something in it', async () => {
  const { write, run } = machine();
  const file = write('cursor', '{"mcpServers":{"own":{"command":"own"}}}');
  await run('cursor');
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: { deskside: object } };
  writeFileSync(file, JSON.stringify({ mcpServers: { deskside: mcpServers.deskside } }));
  expect(await run('cursor', { undo: true })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe('{}');
});
