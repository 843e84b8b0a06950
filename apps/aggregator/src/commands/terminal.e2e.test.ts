import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deskHome } from '../testing/desk-home.ts';
import { answered, SCRIPT } from '../testing/terminal-program.ts';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';

const TOOLS = [
  { name: 'pay', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
] as const;
const PAY = ['rules', 'allow', 'shop', 'pay', '--arguments', '{"to":"ada"}'];

async function shopHome() {
  const desk = deskHome();
  const { url } = await foreignServer(TOOLS);
  await desk.run('add', 'shop', url, '--yes');
  return { ...desk, url };
}

test.skipIf(!existsSync(SCRIPT))(
  'without a display a command asks at the terminal that controls it, with all that it is about',
  async () => {
    const desk = await shopHome();
    const refused = await answered(desk, PAY, ['n\n']);
    const question =
      '  for: clients without a name of owner\n  arguments: {"to":"ada"}\nAlways allow shop › pay? [y/N] ';
    expect(refused.terminal).toBe(`${question}n\n`);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Nothing was changed.') });
    expect(await desk.run('rules')).toContain('No rules.');
    // An option is no yes.
    expect((await answered(desk, [...PAY, '--yes'], ['\n'])).code).toBe(1);
    expect((await answered(desk, PAY, ['y\n'])).code).toBe(0);
    expect(await desk.run('rules')).toMatch(/^[\da-f]{8} {2}allow {2}shop pay /);
    const added = await answered(desk, ['add', 'other', desk.url, '--isolation', 'shared'], ['n\n']);
    expect(added.terminal).toContain('tool pay (destroys data)');
    expect(added.output).toContain('Nothing was added.');
  },
);

test.skipIf(!existsSync(SCRIPT))(
  'apply --yes asks at the terminal before a pattern runs what would ask',
  async () => {
    const desk = await shopHome();
    const file = join(desk.home, 'config/deskside/deskside.toml');
    writeFileSync(file, `${readFileSync(file, 'utf8')}run = ["*"]\n`);
    const refused = await answered(desk, ['apply', '--yes'], ['n\n']);
    expect(refused.terminal).toContain('runs without asking you (run in deskside.toml): pay');
    expect(refused.output).toContain('Nothing was applied.');
    expect(await desk.run('list', '--tools')).toMatch(/ pay +asks /);
    expect((await answered(desk, ['apply', '--yes'], ['y\n'])).output).toContain('Applied.');
    expect(await desk.run('list', '--tools')).toMatch(/ pay +runs /);
  },
);

test.skipIf(!existsSync(SCRIPT))(
  'what was typed before the question does not answer it, and where a terminal passes each key at once an answer ends with Enter',
  async () => {
    const desk = await shopHome();
    for (const typed of ['y\n', 'y']) {
      for (const isHere of [false, true]) {
        const { code, terminal } = await answered(desk, PAY, ['\n'], { typed, isHere });
        expect(terminal).toMatch(/^y[^]*\[y\/N\] \n/);
        expect(code).toBe(1);
      }
    }
    expect((await answered(desk, PAY, ['y', 'es, go on\r'], { isRaw: true })).code).toBe(1);
    expect(await desk.run('rules')).toContain('No rules.');
    expect((await answered(desk, PAY, ['y', 'es', '\r'], { isRaw: true })).code).toBe(0);
  },
);
