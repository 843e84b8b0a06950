import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';
import { expect, test } from 'vitest';
import { runCommand } from '../testing/commands.ts';
import { deskHome } from '../testing/desk-home.ts';
import { answered, SCRIPT } from '../testing/terminal-program.ts';
import { userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { rules } from './rules.ts';

const TOOLS = [
  { name: 'pay', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
] as const;
const PAY = ['rules', 'allow', 'shop', 'pay', '--arguments', '{"to":"ada"}'];

/** For the commands of this process, too. */
async function shopHome() {
  const desk = deskHome();
  userHome(desk.home);
  const { url } = await foreignServer(TOOLS);
  await runCommand(add, { flags: { yes: true }, operands: ['shop', url] });
  return { ...desk, url };
}

const shown = async () => (await runCommand(rules)).stdout;

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
    expect(await shown()).toContain('No rules.');
    expect((await answered(desk, PAY, ['y', 'es', '\r'], { isRaw: true })).code).toBe(0);
    expect(await shown()).toMatch(/^[\da-f]{8} {2}allow {2}shop pay /);
    appendFileSync(
      join(desk.home, 'config/deskside/deskside.toml'),
      `[mcpServers.more]\nurl = "${desk.url}"\n`,
    );
    const applied = await answered(desk, ['apply'], ['y\ny\n', '\n'], { isHere: true });
    expect(applied.terminal).toContain('Nothing was applied.');
    const added = await answered(desk, ['add', 'other', desk.url, '--isolation', 'shared'], ['n\n']);
    expect(added.terminal).toContain('tool pay (destroys data)');
    expect(added.output).toContain('Nothing was added.');
  },
);
