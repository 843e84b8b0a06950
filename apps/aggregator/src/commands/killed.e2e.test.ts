import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { cleanEnvironment, randomOf, randomSeeds, startProgram, temporaryFolder } from '@deskside/testkit';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { withPersonAt } from '../testing/with-person.ts';

const PROGRAM = join(import.meta.dirname, '../testing/commands-for-ever.ts');
const CLI = join(import.meta.dirname, '../cli.ts');
const SERVER = '[mcpServers.shop]\ncommand = "true"\n';

/** Commands that change what the person has decided, and those that must work when they were killed. */
const COMMANDS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'connect',
    ['connect cursor --no-hooks', 'connect cursor --undo'],
    ['connect cursor', 'connect cursor --undo'],
  ],
  ['rules', ['rules deny shop pay'], ['rules deny shop pay']],
  ['apply', ['edit', 'apply --yes'], ['apply --yes']],
  ['token', ['token create x --yes', 'token rotate x', 'token revoke x'], ['token create y --yes']],
];

const READ: Readonly<Record<string, (text: string) => unknown>> = { '.json': JSON.parse, '.toml': parse };

/** Their names. @throws Error for a file that is half written */
function checkedFiles(folder: string): readonly string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  for (const { parentPath, name } of all) READ[extname(name)]?.(readFileSync(join(parentPath, name), 'utf8'));
  return all.map(({ name }) => name);
}

test.each(COMMANDS)('"%s" that is killed at any moment holds up nobody', async (_, lines, next) => {
  const home = temporaryFolder();
  const env = withPersonAt({}, { ...cleanEnvironment(home), PATH: '/usr/bin:/bin' });
  for (const folder of ['.cursor', 'config/deskside']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, '.cursor/mcp.json'), '{"mcpServers":{"own":{"command":"own"}}}\n');
  writeFileSync(join(home, 'config/deskside/deskside.toml'), SERVER);
  const run = (args: readonly string[]) => startProgram({ command: process.execPath, args, env });
  const applied = run([CLI, 'apply', '--yes']);
  expect(await applied.exited).toBe(0);
  for (const seed of randomSeeds(2, 1000)) {
    await using killed = run([PROGRAM, ...lines]);
    await killed.printed(/ended with 0\n/);
    const turns = randomOf(seed)(3000);
    for (let turn = 0; turn < turns; turn += 1) await immediate();
    killed.child.kill('SIGKILL');
    await killed.exited;
    const names = checkedFiles(home);
    expect(readdirSync(join(home, '.cursor')).filter((name) => name.endsWith('.lock'))).toStrictEqual([]);
    expect(names).toContain('mcp.json');
  }
  for (const line of next) {
    const command = run([CLI, ...line.split(' ')]);
    expect(`${await command.exited}: ${command.stderr()}`).toMatch(/^0: /);
  }
  expect(checkedFiles(home).filter((name) => name.endsWith('.lock'))).toStrictEqual([]);
  // Nor a draft.
  expect(readdirSync(join(home, '.cursor'))).toStrictEqual(['mcp.json']);
});
