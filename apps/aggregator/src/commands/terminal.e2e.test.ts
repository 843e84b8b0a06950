import { existsSync } from 'node:fs';
import type { Command } from '@deskside/core/program';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';
import { expect, test } from 'vitest';
import { runCommand, SELF } from '../testing/commands.ts';
import { deskHome } from '../testing/desk-home.ts';
import { answered, SCRIPT } from '../testing/terminal-program.ts';
import { userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { list } from './list.ts';
import { rules } from './rules.ts';

const TOOLS = [
  { name: 'pay', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
] as const;
const PAY = ['rules', 'allow', 'shop', 'pay', '--arguments', '{"to":"ada"}'];

/** For the commands of this process, too. */
async function shopHome() {
  const desk = deskHome();
  const { text, edit } = userHome(desk.home);
  const { url } = await foreignServer(TOOLS);
  await runCommand(add, { flags: { yes: true }, operands: ['shop', url] });
  return { ...desk, url, text, edit };
}

const shown = async (command: Command, flags = {}) => (await runCommand(command, { flags })).stdout;

test.skipIf(!existsSync(SCRIPT))(
  'without a display a command asks at the terminal that controls it, with all that it is about; what was typed before does not answer',
  async () => {
    const desk = await shopHome();
    // An option is no yes.
    const refused = await answered(desk, [...PAY, '--yes'], ['n\n']);
    const question =
      '  for: clients without a name of owner\n  arguments: {"to":"ada"}\nAlways allow shop › pay? [y/N] ';
    expect(refused.terminal).toBe(`${question}n\n`);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Nothing was changed.') });
    for (const [typed, isHere] of [
      ['y\n', false],
      ['y', true],
    ] as const) {
      const { code, terminal } = await answered(desk, PAY, ['\n'], { typed, isHere });
      expect(terminal).toMatch(/^y[^]*\[y\/N\] \n/);
      expect(code).toBe(1);
    }
    // Where a terminal passes each key at once an answer ends with Enter.
    expect((await answered(desk, PAY, ['y', 'es, go on\r'], { isRaw: true })).code).toBe(1);
    expect(await shown(rules)).toContain('No rules.');
    expect((await answered(desk, PAY, ['y', 'es', '\r'], { isRaw: true })).code).toBe(0);
    expect(await shown(rules)).toMatch(/^[\da-f]{8} {2}allow {2}shop pay /);
    const added = await answered(desk, ['add', 'other', desk.url, '--isolation', 'shared'], ['n\n']);
    expect(added.terminal).toContain('tool pay (destroys data)');
    expect(added.output).toContain('Nothing was added.');
  },
);

test.skipIf(!existsSync(SCRIPT))(
  'apply --yes asks at the terminal before a pattern runs what would ask',
  async () => {
    const desk = await shopHome();
    desk.edit(`${desk.text()}run = ["*"]\n`);
    const refused = await answered(desk, ['apply', '--yes'], ['n\n']);
    expect(refused.terminal).toContain('runs without asking you (run in deskside.toml): pay');
    expect(refused.output).toContain('Nothing was applied.');
    expect(await shown(list(SELF), { tools: true })).toMatch(/ pay +asks /);
    expect((await answered(desk, ['apply', '--yes'], ['y\n'])).output).toContain('Applied.');
    expect(await shown(list(SELF), { tools: true })).toMatch(/ pay +runs /);
  },
);
