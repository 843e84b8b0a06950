import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { connectHttp, firstText, startProgram } from '@deskside/testkit';
import { missingPackages, needs, openDesktop, waitFor } from '@deskside/notify-popup/testing/desktop';
import { takePicture } from '@deskside/notify-popup/testing/picture';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { logIn, LoginStore } from '@deskside/gateway/servers';
import { browse, loginServer } from '@deskside/gateway/testing/login-server';
import { add } from '../commands/add.ts';
import { log } from '../commands/log.ts';
import { runCommand } from '../testing/commands.ts';
import { userHome } from '../testing/user-home.ts';
import { withPersonAt } from '../testing/with-person.ts';
import { readReview } from '@deskside/gateway/testing/read-review';

// Not the built program: its parts cannot be replaced.
const BIN = join(import.meta.dirname, '../cli.ts');
const FILES = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
);
/** For a look at what the person sees. */
const PICTURES = process.env['APPROVALS_PICTURES'];
/** The middle of each button, from the lower right corner of the window, in pixels. */
const BUTTONS = {
  allow: [-105, -35],
  'allow, without more choices beside it': [-50, -35],
  'log in': [-50, -35],
  'give each client a separate one': [-70, -35],
  'reading tools only': [-200, -35],
} as const;
const TOKEN = 'a-token-for-the-person-at-the-screen';
const CODEX = { name: 'codex-mcp-client', version: '1.0.0' };

/** A person at one display, and programs of an agent that have another one, or none. */
async function openScene() {
  const opened = new AsyncDisposableStack();
  const [{ path: home }, other] = [opened.use(temporaryFolder()), opened.use(temporaryFolder())];
  const desktop = opened.use(await openDesktop(home, { framebuffer: ['-fbdir', home] }));
  const agent = opened.use(await openDesktop(other.path));
  const { DISPLAY: agents = '', XAUTHORITY = '' } = agent.env;
  const [folder, project] = [join(home, 'work'), join(home, 'infra')];
  const file = join(home, 'config/deskside/deskside.toml');
  for (const each of [folder, project, join(file, '..')]) mkdirSync(each, { recursive: true });
  writeFileSync(join(folder, 'orders.txt'), 'all orders\n');
  const [programs, addresses, ended] = [join(home, 'programs'), join(home, 'opened'), join(home, 'ended')];
  mkdirSync(programs);
  const chromium = `chromium --no-sandbox --no-first-run --user-data-dir='${home}/browser' "$1"`;
  const script = `#!/bin/sh\necho "$1" >> '${addresses}'\n${chromium}\ntouch '${ended}'\n`;
  writeFileSync(join(programs, 'xdg-open'), script, { mode: 0o755 });
  const env = withPersonAt(desktop.env, {
    ...desktop.env,
    PATH: `${programs}:${desktop.env['PATH']}`,
    XAUTHORITY,
    NOTIFY_POPUP_THEME: 'light',
    CLAUDE_PROJECT_DIR: project,
    DESKSIDE_TOKEN: TOKEN,
  });
  const run = (...args: readonly string[]) =>
    startProgram({ command: process.execPath, args: [BIN, ...args], env: { ...env, DISPLAY: agents } });
  const picture = async (name: string) => {
    if (PICTURES !== undefined) await takePicture(home, desktop.popup, join(PICTURES, `${name}.png`));
  };
  const click = (button: keyof typeof BUTTONS) => {
    const [x, y] = BUTTONS[button];
    desktop.click(x, y);
  };
  /** Of the browser. */
  const opens = () => (existsSync(addresses) ? readFileSync(addresses, 'utf8').trim().split('\n') : []);
  /** It writes into the home until then. */
  const closeBrowser = async () => {
    desktop.run('wmctrl', '-c', 'Chromium');
    await waitFor(() => existsSync(ended), 'the browser has ended');
  };
  const close = () => opened.disposeAsync();
  return { home, desktop, agent, folder, file, run, picture, click, opens, closeBrowser, close };
}

/** Of Codex, for the user of this process. */
async function recordsOf(wanted: string): Promise<readonly Record<string, string>[]> {
  const { stdout } = await runCommand(log, { flags: { json: true, agent: 'Codex' } });
  const lines = stdout.trim().split('\n');
  const records = lines.map((line): Record<string, string> => JSON.parse(line));
  return records.filter(({ kind }) => kind === wanted);
}

describe.skipIf(missingPackages.length > 0)(`a person at a real screen${needs}`, () => {
  let scene: Awaited<ReturnType<typeof openScene>>;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.close());

  test('decides on settings and on the reading tools of a server, and not at the display of the command', async () => {
    const { home, desktop, agent, folder, file, run, click } = scene;
    writeFileSync(file, 'approvals = "off"\n');
    {
      await using applying = run('apply', '--yes');
      await applying.printed(/Answer in the window/);
      expect(agent.popup()).toBeUndefined();
      await desktop.dismiss();
      expect(await applying.exited).toBe(1);
      expect(applying.stdout()).toContain('Nothing was applied.');
    }
    rmSync(file);

    // Without a terminal each question opens a window, also the one whether each client gets a server of its own.
    {
      await using adding = run('add', 'reading', '--', process.execPath, FILES, folder);
      await adding.printed(/Answer in the window/);
      await desktop.popupHasKeyboard();
      click('give each client a separate one');
      await adding.printed(/Answer in the window[^]*Answer in the window/);
      await desktop.popupHasKeyboard();
      // Neither accepts before the end.
      click('reading tools only');
      desktop.key('Return');
      await readReview(home, desktop);
      click('reading tools only');
      expect(await adding.exited).toBe(0);
      expect(adding.stdout()).toMatch(/^Added reading\..*\nBlocked in reading: write_file, /);
      expect(readFileSync(file, 'utf8')).toContain('block = [ "write_file", ');
      expect(readFileSync(file, 'utf8')).toContain('isolation = "per-client"');
    }
  });

  test('adds a server, allows a call once, and denies the next, whatever display the agent and its desk have', async () => {
    const { home, desktop, agent, folder, run, picture, click } = scene;
    {
      const server = ['--isolation', 'shared', '--', process.execPath, FILES, folder];
      await using adding = run('add', 'files', ...server);
      await adding.printed(/Answer in the window/);
      await picture('add');
      await readReview(home, desktop);
      click('allow, without more choices beside it');
      expect(await adding.exited).toBe(0);
      expect(adding.stdout()).toContain('Added files.');
    }

    await using serving = run('http', '--port', '0', '--log-level', 'debug');
    const [, url = ''] = await serving.printed(/(http:\S+\/mcp)/);
    await using codex = await connectHttp(url, { era: 'legacy', token: TOKEN, clientInfo: CODEX });
    const path = join(folder, 'orders.txt');
    expect(firstText(await codex.callTool('files_read_text_file', { path }))).toContain('all orders');
    const accepting = () => serving.stderr().split('popup accepts keys').length - 1;
    const write = async (name: string, answer: () => void) => {
      const before = accepting();
      const writing = codex.callTool('files_write_file', { path, content: 'nothing\n**left** <b>' });
      await waitFor(() => accepting() > before, 'the window accepts keys');
      await desktop.popupHasKeyboard();
      expect(agent.popup()).toBeUndefined();
      await picture(name);
      answer();
      return firstText(await writing);
    };

    expect(
      await write('allow', () => {
        // Enter does not allow.
        desktop.key('Return');
        click('allow');
      }),
    ).toContain('Successfully wrote');
    expect(readFileSync(path, 'utf8')).toContain('nothing');
    writeFileSync(path, 'all orders\n');
    const denied = await write('deny', () => {
      desktop.type('use staging');
      desktop.key('Return');
    });
    expect(JSON.parse(denied)).toMatchObject({ code: 'DENIED', reason: 'use staging' });
    expect(readFileSync(path, 'utf8')).toBe('all orders\n');
    userHome(home);
    const outcomesOf = async (kind: string) => (await recordsOf(kind)).map(({ outcome }) => outcome);
    // The client can have its answer before the record is stored.
    await expect.poll(() => outcomesOf('call')).toStrictEqual(['ok', 'ok', 'denied']);
    expect(await outcomesOf('approval')).toStrictEqual(['allowed', 'denied']);
    // The record says where the person was asked.
    expect((await recordsOf('approval')).map(({ display }) => display)).toStrictEqual([
      desktop.env['DISPLAY'],
      desktop.env['DISPLAY'],
    ]);
  });

  test('presses Escape when a login is offered, and "Log in" at the next start of the desk', async () => {
    const { home, desktop, agent, run, picture, click, opens, closeBrowser } = scene;
    userHome(home);
    const server = await loginServer();
    const store = new LoginStore(join(home, 'data/deskside/logins'));
    const pasted = new Promise<never>(() => undefined);
    await logIn({ id: 'guard', server: server.url, store, show: ({ href }) => void browse(href), pasted });
    const added = await runCommand(add, { flags: { yes: true }, operands: ['guard', server.url] });
    expect(added).toMatchObject({ code: 0 });
    await store.removeAll('guard');
    const serve = async () => {
      const serving = run('http', '--port', '0', '--log-level', 'debug');
      onTestFinished(() => serving[Symbol.asyncDispose]());
      const [, url = ''] = await serving.printed(/(http:\S+\/mcp)/);
      const codex = await connectHttp(url, { era: 'legacy', token: TOKEN, clientInfo: CODEX });
      onTestFinished(() => codex[Symbol.asyncDispose]());
      const ping = async () => firstText(await codex.callTool('guard_ping'));
      const has = (text: string) => waitFor(() => serving.stderr().split(text).length === 2, text);
      expect(JSON.parse(await ping())).toMatchObject({ code: 'LOGIN_NEEDED' });
      await has('popup accepts keys');
      await desktop.popupHasKeyboard();
      return { ping, closed: () => has('popup closed'), serving };
    };
    const first = await serve();
    await picture('login');
    // Enter begins nothing.
    desktop.key('Return');
    desktop.key('Escape');
    await first.closed();
    expect(JSON.parse(await first.ping())).toMatchObject({ code: 'LOGIN_NEEDED' });
    expect([desktop.popup(), agent.popup(), ...opens()]).toStrictEqual([undefined, undefined]);
    await first.serving[Symbol.asyncDispose]();

    const second = await serve();
    click('log in');
    await waitFor(() => server.grants.length === 2, 'the browser has logged in');
    await waitFor(() => desktop.popup()?.title === 'Deskside: login', 'the window says what happened');
    await picture('logged-in');
    expect(await second.ping()).toBe('pong');
    expect(opens()).toHaveLength(1);
    await closeBrowser();
  });
});
