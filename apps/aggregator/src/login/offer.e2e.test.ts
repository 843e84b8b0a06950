import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingPackages, needs, openDesktop, waitFor } from '@deskside/notify-popup/testing/desktop';
import { takePicture } from '@deskside/notify-popup/testing/picture';
import { connectHttp, firstText, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { browse, loginServer } from '@deskside/gateway/testing/login-server';
import { logIn, LoginStore } from '@deskside/gateway/servers';
import { add } from '../commands/add.ts';
import { runCommand } from '../testing/commands.ts';
import { userHome } from '../testing/user-home.ts';
import { withPersonAt } from '../testing/with-person.ts';

// Not the built program: its parts cannot be replaced.
const BIN = join(import.meta.dirname, '../cli.ts');
/** For a look at what the person sees. */
const PICTURES = process.env['APPROVALS_PICTURES'];
/** Place of the button, from the lower right corner of the window, in pixels. */
const LOG_IN = [-50, -35] as const;
const TOKEN = 'a-token-for-the-person-at-the-screen';
const CLIENT = { name: 'codex-mcp-client', version: '1.0.0' };

/** A desktop with a browser, and a desk with an accepted server whose login has ended. */
async function openScene() {
  const home = temporaryFolder();
  const desktop = await openDesktop(home, { framebuffer: ['-fbdir', home] });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const opened = join(home, 'opened');
  const programs = join(home, 'programs');
  mkdirSync(programs);
  const chromium = `chromium --no-sandbox --no-first-run --user-data-dir='${home}/browser' "$1"`;
  const ended = join(home, 'ended');
  const script = `#!/bin/sh\necho "$1" >> '${opened}'\n${chromium}\ntouch '${ended}'\n`;
  writeFileSync(join(programs, 'xdg-open'), script, { mode: 0o755 });
  const env = withPersonAt(desktop.env, {
    ...desktop.env,
    // The agent that started the desk has no display.
    DISPLAY: '',
    PATH: `${programs}:${desktop.env['PATH']}`,
    NOTIFY_POPUP_THEME: 'light',
    DESKSIDE_TOKEN: TOKEN,
  });
  const run = (...args: readonly string[]) =>
    startProgram({ command: process.execPath, args: [BIN, ...args], env });
  const server = await loginServer();
  const store = new LoginStore(join(home, 'data/deskside/logins'));
  await logIn({
    id: 'guard',
    server: server.url,
    store,
    show: ({ href }) => void browse(href),
    pasted: new Promise(() => undefined),
  });
  userHome(home);
  const added = await runCommand(add, { flags: { yes: true }, operands: ['guard', server.url] });
  expect(added).toMatchObject({ code: 0 });
  await store.removeAll('guard');
  const picture = async (name: string) => {
    if (PICTURES !== undefined) await takePicture(home, desktop.popup, join(PICTURES, `${name}.png`));
  };
  const addresses = () => (existsSync(opened) ? readFileSync(opened, 'utf8').trim().split('\n') : []);
  /** It writes into the home until then. */
  const closeBrowser = async () => {
    desktop.run('wmctrl', '-c', 'Chromium');
    await waitFor(() => existsSync(ended), 'the browser has ended');
  };
  return { desktop, server, run, picture, addresses, closeBrowser };
}

test.skipIf(missingPackages.length > 0)(
  `a person at a real screen presses Escape, and "Log in" at the next start of the desk${needs}`,
  async () => {
    const { desktop, server, run, picture, addresses, closeBrowser } = await openScene();
    const serve = async () => {
      const serving = run('http', '--port', '0', '--log-level', 'debug');
      onTestFinished(() => serving[Symbol.asyncDispose]());
      const [, url = ''] = await serving.printed(/(http:\S+\/mcp)/);
      const agent = await connectHttp(url, { era: 'legacy', token: TOKEN, clientInfo: CLIENT });
      onTestFinished(() => agent[Symbol.asyncDispose]());
      const count = (text: string) => serving.stderr().split(text).length - 1;
      return {
        ping: async () => firstText(await agent.callTool('guard_ping')),
        async offered() {
          await waitFor(() => count('popup accepts keys') === 1, 'the window accepts keys');
          await desktop.popupHasKeyboard();
        },
        closed: () => waitFor(() => count('popup closed') === 1, 'the window is closed'),
        serving,
      };
    };
    const first = await serve();
    expect(JSON.parse(await first.ping())).toMatchObject({ code: 'LOGIN_NEEDED' });
    await first.offered();
    await picture('login');
    // Enter begins nothing.
    desktop.key('Return');
    desktop.key('Escape');
    await first.closed();
    expect(JSON.parse(await first.ping())).toMatchObject({ code: 'LOGIN_NEEDED' });
    expect(desktop.popup()).toBeUndefined();
    expect(addresses()).toStrictEqual([]);
    await first.serving[Symbol.asyncDispose]();

    const second = await serve();
    expect(JSON.parse(await second.ping())).toMatchObject({ code: 'LOGIN_NEEDED' });
    await second.offered();
    desktop.click(...LOG_IN);
    await waitFor(() => server.grants.length === 2, 'the browser has logged in');
    await waitFor(() => desktop.popup()?.title === 'Deskside: login', 'the window says what happened');
    await picture('logged-in');
    if (PICTURES !== undefined) desktop.run('import', '-window', 'root', join(PICTURES, 'screen.png'));
    expect(await second.ping()).toBe('pong');
    expect(addresses()).toHaveLength(1);
    await closeBrowser();
  },
);
