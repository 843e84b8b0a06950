import { join } from 'node:path';
import type { Command } from '@deskside/core/program';
import { tokenDigest } from '@deskside/core/base';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { sqliteTaskStore } from '../sqlite/sqlite-task-store.ts';
import { runCommand } from '../testing/run-command.ts';
import { tokenCommands } from './token.ts';

async function commandOf(name: string): Promise<Command> {
  const loaded = await tokenCommands[name]?.load();
  if (loaded === undefined || 'commands' in loaded) throw new Error(`No command ${name}`);
  return loaded;
}

test('tokens are created for a user, listed without digests, rotated and revoked', async () => {
  const file = join(temporaryFolder(), 'todo.sqlite');
  const run = async (name: string, operands: readonly string[], flags = {}) =>
    runCommand(await commandOf(name), { operands, flags, env: { TODO_DATABASE_URL: file } });
  const stored = async () => {
    await using store = sqliteTaskStore({ file });
    const tokens = await store.tokens.read();
    return tokens;
  };
  expect(await run('list', [])).toMatchObject({
    stdout: '',
    stderr: 'No tokens besides the main one. The command "token create laptop" creates one.\n',
  });
  const phone = await run('create', ['phone'], { user: 'anna' });
  expect(phone.stdout).toMatch(/^deskside_[\w-]{43}\n$/);
  expect(phone.stderr).toBe(
    'Clients send it as a bearer token. It is not shown again.\nCalls with it see the tasks of anna.\n',
  );
  expect(await stored()).toMatchObject([
    { name: 'phone', user: 'anna', sha256: tokenDigest(phone.stdout.trim()) },
  ]);
  await run('create', ['laptop']);
  expect((await run('list', [])).stdout).toMatch(
    /^laptop {2}owner {2}[\d: -]+ {2}not used\nphone {3}anna {3}[\d: -]+ {2}not used\n$/,
  );
  const rotated = await run('rotate', ['phone']);
  expect(await stored()).toMatchObject([{ name: 'laptop' }, { sha256: tokenDigest(rotated.stdout.trim()) }]);
  expect((await run('revoke', ['laptop'])).stderr).toBe('The token "laptop" is revoked.\n');
  const listed = JSON.parse((await run('list', [], { json: true })).stdout);
  expect(listed).toStrictEqual([{ name: 'phone', user: 'anna', created: expect.stringMatching(/Z$/) }]);
  await expect(run('create', ['phone'])).rejects.toThrow('deskside-todo token rotate phone');
  await expect(run('revoke', [])).rejects.toThrow('Pass one NAME.');
});
