import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment, startProgram } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desktop, openDesktop } from './testing/desktop.ts';
import { needs, missingPackages } from './testing/programs.ts';
import { becomes, until } from './testing/until.ts';

const bin = join(import.meta.dirname, 'cli.ts');

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'popup-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function run(args: readonly string[], env = cleanEnvironment(home)) {
  await using program = startProgram({ command: process.execPath, args: [bin, ...args], env });
  const code = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

test('a question without a display ends with its own code', async () => {
  expect(await run(['ask', 'Shall I?'])).toStrictEqual({ code: 8, stdout: '', stderr: 'no-display\n' });
});

test.each([
  [['ask'], 'Say what to ask: ask "Shall I go on?" See --help.'],
  [['ask', '--timeout', '9'], 'Say what to ask: ask "Shall I go on?" See --help.'],
  [['ask', 'Well?', '--timeout', '2'], '--timeout: use a number of seconds from 5 to 300. See --help.'],
  [['ask', 'Well?', '--colour', 'red'], "Unknown option '--colour'. See --help."],
])('%j is a wrong use', async (args, says) => {
  expect(await run(args)).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: `deskside-notify-popup ask: ${says}\n`,
  });
});

test('the doctor says why there would be no popup', async () => {
  const { code, stdout } = await run(['--doctor', '--no-elicitation', '--no-history']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^display: none that can be reached$/m);
  expect(stdout).toMatch(/^history: not kept$/m);
  expect(stdout).toMatch(/^No popup can be shown\.$/m);
});

describe.skipIf(missingPackages.length > 0)(`from a shell${needs}`, () => {
  let desktop: Desktop;
  beforeAll(async () => {
    desktop = await openDesktop(home);
  });
  afterAll(() => desktop[Symbol.asyncDispose]());

  test('a question prints the answer', async () => {
    const answer = run(['ask', 'Shall I?', '--timeout', '60', '--title', 'Deploy'], desktop.env);
    await becomes(() => conversation().includes('Shall I?'), 'the popup is shown');
    await desktop.popupHasKeyboard();
    desktop.type('go');
    expect(await until(answer, () => desktop.key('Return'))).toStrictEqual({
      code: 0,
      stdout: 'go\n',
      stderr: '',
    });
  });

  test('a question that was cancelled ends with its own code', async () => {
    const answer = run(['ask', 'Shall I not?'], desktop.env);
    await becomes(() => conversation().includes('Shall I not?'), 'the popup is shown');
    const { code, stderr } = await until(answer, () => desktop.key('Escape'));
    expect([code, stderr]).toStrictEqual([4, 'cancelled\n']);
  });

  test('the doctor names what shows popups', async () => {
    const { code, stdout } = await run(['--doctor'], desktop.env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^display: found$/m);
    expect(stdout).toMatch(/^chromium: .+chromium {2}<- this one shows popups$/m);
  });
});

/** The conversation log, which is written when a popup is shown. */
function conversation(): string {
  const folder = join(home, 'data/deskside/popup-history');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}
