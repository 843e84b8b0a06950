import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { cleanEnvironment, randomOf, randomSeeds, startProgram, temporaryFolder } from '@deskside/testkit';
import { parse } from 'smol-toml';
import { expect, test, vi } from 'vitest';
import { type Ran, runCommand, SELF } from '../testing/commands.ts';
import { userHome } from '../testing/user-home.ts';
import { withPersonAt } from '../testing/with-person.ts';
import { apply } from './apply.ts';
import { connect } from './connect.ts';
import { rulesDeny } from './rules.ts';
import { tokenCreate } from './token.ts';

const PROGRAM = join(import.meta.dirname, '../testing/commands-for-ever.ts');
const SERVER = '[mcpServers.shop]\ncommand = "true"\n';
const yes = { flags: { yes: true } };

type Next = (env: Readonly<Record<string, string>>) => Promise<Ran>;

/** Commands that change what the person has decided, and those that must work when they were killed. */
const COMMANDS: readonly (readonly [string, readonly string[], readonly Next[]])[] = [
  [
    'connect',
    ['connect cursor --no-hooks', 'connect cursor --undo'],
    [{}, { undo: true }].map(
      (flags) => (env) => runCommand(connect(SELF), { operands: ['cursor'], flags, env }),
    ),
  ],
  ['rules', ['rules deny shop pay'], [(env) => runCommand(rulesDeny, { operands: ['shop', 'pay'], env })]],
  ['apply', ['edit', 'apply --yes'], [(env) => runCommand(apply, { ...yes, env })]],
  [
    'token',
    ['token create x --yes', 'token rotate x', 'token revoke x'],
    [(env) => runCommand(tokenCreate, { ...yes, operands: ['y'], env })],
  ],
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
  userHome(home).edit(SERVER);
  vi.stubEnv('HOME', home);
  mkdirSync(join(home, '.cursor'));
  writeFileSync(join(home, '.cursor/mcp.json'), '{"mcpServers":{"own":{"command":"own"}}}\n');
  expect(await runCommand(apply, { ...yes, env })).toMatchObject({ code: 0 });
  for (const seed of randomSeeds(1, 1000)) {
    await using killed = startProgram({ command: process.execPath, args: [PROGRAM, ...lines], env });
    await killed.printed(/ended with 0\n/);
    const turns = randomOf(seed)(3000);
    for (let turn = 0; turn < turns; turn += 1) await immediate();
    killed.child.kill('SIGKILL');
    await killed.exited;
    const names = checkedFiles(home);
    expect(readdirSync(join(home, '.cursor')).filter((name) => name.endsWith('.lock'))).toStrictEqual([]);
    expect(names).toContain('mcp.json');
  }
  for (const run of next) expect(await run(env)).toMatchObject({ code: 0 });
  expect(checkedFiles(home).filter((name) => name.endsWith('.lock'))).toStrictEqual([]);
  // Nor a draft.
  expect(readdirSync(join(home, '.cursor'))).toStrictEqual(['mcp.json']);
});
