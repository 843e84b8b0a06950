import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectStdio, startProgram } from '@deskside/testkit';
import { expect, test } from 'vitest';
import type { StoredItem } from '../data/stored.ts';
import { deskHome } from '../testing/desk-home.ts';

test('after use, data names the purpose of every file in the home, and data wipe deletes them all', async () => {
  const { home, client, command } = deskHome();
  // The usual folder for temporary files contains those of other tests.
  const env = { TMPDIR: join(home, 'tmp') };
  mkdirSync(env.TMPDIR);
  const run = async (...args: readonly string[]) => {
    await using program = startProgram(command(args, env));
    await program.exited;
    return program.stdout();
  };
  {
    await using peer = await connectStdio(client(['--as', 'test'], env), { era: 'modern' });
    await peer.callTool('todo_add_task', { user_id: 'me', title: 'Milk' });
    await peer.callTool('log_notify', { message: 'Milk is bought', level: 'warn' });
  }
  await run('token', 'create', 'laptop', '--yes');
  await run('token', 'show');
  expect(await run('data', 'wipe', '--yes')).toBe('');
  await run('stop');
  expect(readFileSync(join(home, 'state/deskside/desk.log'), 'utf8')).not.toContain('Milk is bought');

  const { items }: { items: readonly StoredItem[] } = JSON.parse(await run('data', '--json'));
  expect(filesOf(home).filter((file) => !items.some(({ path }) => isIn(file, path)))).toStrictEqual([]);
  expect(items.filter(({ purpose }) => purpose.startsWith('unknown'))).toStrictEqual([]);
  expect(new Set(items.map(({ server }) => server))).toStrictEqual(new Set(['deskside', 'log', 'todo']));

  expect(await run('data', 'wipe', '--yes')).toMatch(/Deleted\.\n$/);
  expect(filesOf(home)).toStrictEqual([]);
});

function filesOf(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function isIn(file: string, path: string): boolean {
  return file === path || file.startsWith(`${path}/`);
}
