import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { cleanEnvironment, randomOf, randomSeeds, startProgram, temporaryFolder } from '@deskside/testkit';
import { canMount, smallDisk } from '@deskside/testkit/small-disk';
import { parse } from 'smol-toml';
import { expect, test, vi } from 'vitest';
import { type Ran, runCommand, SELF } from '../testing/commands.ts';
import { filesBelow } from '../testing/files-below.ts';
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
  const all = filesBelow(folder);
  for (const file of all) READ[extname(file)]?.(readFileSync(file, 'utf8'));
  return all.map((file) => basename(file));
}

/** A person who has accepted a server, with a configuration that waits, and the configuration of another program. */
async function homeWithServer(home: string): Promise<Readonly<Record<string, string>>> {
  const env = withPersonAt({}, { ...cleanEnvironment(home), PATH: '/usr/bin:/bin' });
  const { edit } = userHome(home);
  edit(SERVER);
  vi.stubEnv('HOME', home);
  mkdirSync(join(home, '.cursor'));
  writeFileSync(join(home, '.cursor/mcp.json'), '{"mcpServers":{"own":{"command":"own"}}}\n');
  expect(await runCommand(apply, { ...yes, env })).toMatchObject({ code: 0 });
  edit(`${SERVER}block = ["wipe"]\n`);
  return env;
}

test.each(COMMANDS)('"%s" that is killed at any moment holds up nobody', async (_, lines, next) => {
  const home = temporaryFolder();
  const env = await homeWithServer(home);
  for (const seed of randomSeeds(1, 100)) {
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

/** By name. The desk database is for what happens, not for what was decided. */
function contents(folder: string): Readonly<Record<string, string>> {
  const all = filesBelow(folder).filter((file) => !basename(file).startsWith('desk.sqlite'));
  return Object.fromEntries(all.map((file) => [file, readFileSync(file, 'utf8')]));
}

function fill(file: string): void {
  for (let kilobytes = 512; ; kilobytes -= 4) {
    try {
      return writeFileSync(file, Buffer.alloc(kilobytes * 1024));
    } catch {
      // It is too much.
    }
  }
}

test.skipIf(!canMount).each(COMMANDS)(
  '"%s" on a full disk fails, changes and leaves no file, and works when there is room',
  async (_, __, [next]) => {
    const home = smallDisk(512);
    const env = await homeWithServer(home);
    const filler = join(home, 'filler');
    fill(filler);
    const before = contents(home);
    const codeOf = async () => (await next?.(env).catch(() => undefined))?.code ?? 1;
    expect(await codeOf()).toBe(1);
    expect(contents(home)).toStrictEqual(before);
    rmSync(filler);
    expect(await codeOf()).toBe(0);
  },
);
