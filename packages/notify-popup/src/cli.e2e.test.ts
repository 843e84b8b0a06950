import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder as openFolder } from '@deskside/core/testing';
import { cleanEnvironment, startProgram, startX11Server, temporaryFolder } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Desktop, hasOtherDisplay, missingPackages, needs, openDesktop } from './testing/desktop.ts';
import { connectPopup } from './testing/session.ts';

const bin = join(import.meta.dirname, '../dist/bin/cli.js');

const temporary = openFolder();
const home = temporary.path;
afterAll(() => temporary[Symbol.dispose]());

async function run(args: readonly string[], env = cleanEnvironment(home)) {
  await using program = startProgram({ command: process.execPath, args: [bin, ...args], env });
  const code = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

test('ask without a display ends with exit code 8', async () => {
  expect(await run(['ask', 'Shall I?'])).toStrictEqual({
    code: 8,
    stdout: '',
    stderr: expect.stringMatching(/^no-display: .*DISPLAY.* Run the command "doctor"\.\n$/s),
  });
});

test.each([
  [['ask', ''], 'Pass one QUESTION. See --help.'],
  [['ask', 'Shall', 'I?'], 'Pass one QUESTION, a text with spaces in quotation marks. See --help.'],
  [['ask', 'Well?', '--timeout', '2'], '--timeout: use a number of seconds from 5 to 300. See --help.'],
])('the command line %j ends with exit code 1 and one line on stderr', async (args, error) => {
  expect(await run(args)).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: `deskside-notify-popup ask: ${error}\n`,
  });
});

test('doctor without a display names the problem and ends with exit code 1', async () => {
  const { code, stdout } = await run(['doctor', '--no-elicitation', '--no-history']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Display +not found$/m);
  expect(stdout).toMatch(/^History +not stored$/m);
  expect(stdout).toMatch(/^ {2}✗ No display was found\. DISPLAY is empty\.$/m);
  expect(stdout).toMatch(/^ {4}Start the client in a graphical session, or pass DISPLAY/m);
});

test('a runtime folder that other users can read is made private', async () => {
  const folder = join(home, '.local/state/deskside/popup');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  await run(['doctor']);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('ask says that it waits for another popup, and keeps its timeout', async () => {
  const folder = join(home, '.local/state/deskside/popup/queue');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const holder = fork(join(import.meta.dirname, 'testing/desk-holder.ts'), [folder], { execArgv: [] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder, 'message');
  await using server = await startX11Server({ hasWindowManager: true });
  const env = { ...cleanEnvironment(home), DISPLAY: server.display };
  const browser = join(home, 'browser');
  writeFileSync(browser, '#!/bin/sh\n', { mode: 0o755 });
  const { code, stderr } = await run(['ask', 'Shall I?', '--timeout', '5', '--browser', browser], env);
  expect([code, stderr]).toStrictEqual([6, 'Waits for another popup.\ntimeout\n']);
});

describe.skipIf(missingPackages.length > 0)(`on a real screen${needs}`, () => {
  let desktop: Desktop;
  beforeAll(async () => {
    desktop = await openDesktop(home);
  });
  afterAll(() => desktop[Symbol.asyncDispose]());

  /** Asks, and waits until the popup accepts keys. */
  async function ask(...args: readonly string[]) {
    const logged = [bin, 'ask', ...args, '--log-level', 'debug'];
    const program = startProgram({ command: process.execPath, args: logged, env: desktop.env });
    onTestFinished(() => program[Symbol.asyncDispose]());
    await program.printed(/popup shown/);
    await desktop.popupHasKeyboard();
    await program.printed(/popup accepts keys(?![^]*popup ignores keys)/);
    const notes = () => program.stderr().replaceAll(/^\{.*\n/gm, '');
    const ended = program.exited.then((code) => ({ code, stdout: program.stdout(), notes: notes() }));
    return { ended };
  }

  test('ask prints the answer', async () => {
    const { ended } = await ask('Shall I?', '--timeout', '60', '--title', 'Deploy');
    desktop.type('go');
    desktop.key('Return');
    expect(await ended).toStrictEqual({ code: 0, stdout: 'go\n', notes: '' });
  });

  test('doctor opens a window, and says how long it took', async () => {
    const { code, stdout } = await run(['doctor'], desktop.env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Display +:\d+ \(DISPLAY names it\)$/m);
    expect(stdout).toMatch(/^chromium +\S+chromium$/m);
    expect(stdout).toMatch(/^Window +opened in \d+ ms$/m);
    expect(stdout).toContain('No problems found.');
    expect(desktop.popup()).toBeUndefined();
  });

  test('doctor names a browser that shows nothing', async () => {
    const browser = join(home, 'restricted');
    writeFileSync(browser, '#!/bin/sh\n', { mode: 0o755 });
    const { code, stdout } = await run(['doctor', '--browser', browser], desktop.env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Window +not opened: chromium showed nothing$/m);
    expect(stdout).toContain(`✗ ${browser} showed nothing.`);
  });
});

const HEADLESS = {
  type: 'text',
  text: 'Error: Cannot display popup - no display available. This feature requires a graphical environment.',
};

/** Preloaded: Node behaves as under a user id without a passwd entry. */
const withoutPasswdEntry = `data:text/javascript,${encodeURIComponent(`
  import os from 'node:os';
  import { syncBuiltinESMExports } from 'node:module';
  os.userInfo = () => { throw new Error('uv_os_get_passwd returned ENOENT'); };
  syncBuiltinESMExports();`)}`;

const NO_DISPLAY: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['no display', {}, 'DISPLAY is empty.'],
  ['no passwd entry', { NODE_OPTIONS: `--import=${withoutPasswdEntry}` }, 'DISPLAY is empty.'],
  [
    'a display that no longer exists',
    { DISPLAY: ':9977' },
    'DISPLAY is :9977, but no X server answers there.',
  ],
];

test.each(NO_DISPLAY.slice(0, hasOtherDisplay ? 2 : 3))(
  'with %s the server answers the contract error, and then where a display was looked for, and continues',
  async (_, env, tried) => {
    await using client = await connectPopup({ ...cleanEnvironment(temporaryFolder()), ...env });
    for (const message of ['Anybody?', 'Anybody else?']) {
      const { content, isError } = await client.call({ message });
      expect(isError).toBe(true);
      const reason = expect.stringMatching(/^DISPLAY is .+ Ask the person in the conversation itself/);
      expect(content).toStrictEqual([HEADLESS, { type: 'text', text: reason }]);
      expect(JSON.stringify(content)).toContain(tried);
    }
  },
);
