import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { connectHttp, firstText, startProgram } from '@deskside/testkit';
import { missingPackages, needs, openDesktop, waitFor } from '@deskside/notify-popup/testing/desktop';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
  const [folder, programs, address] = [join(home, 'work'), join(home, 'programs'), join(home, 'opened')];
  const file = join(home, 'config/deskside/deskside.toml');
  for (const each of [folder, programs, join(file, '..')]) mkdirSync(each, { recursive: true });
  writeFileSync(join(folder, 'orders.txt'), 'all orders\n');
  // The browser of the person.
  const script = `#!/bin/sh\nprintf '%s' "$1" > '${address}.new' && mv '${address}.new' '${address}'\n`;
  writeFileSync(join(programs, 'xdg-open'), script, { mode: 0o755 });
  const env = withPersonAt(desktop.env, {
    ...desktop.env,
    PATH: `${programs}:${desktop.env['PATH']}`,
    XAUTHORITY,
    NOTIFY_POPUP_THEME: 'light',
    DESKSIDE_TOKEN: TOKEN,
  });
  const run = (...args: readonly string[]) =>
    startProgram({ command: process.execPath, args: [BIN, ...args], env: { ...env, DISPLAY: agents } });
  const click = (button: keyof typeof BUTTONS) => {
    const [x, y] = BUTTONS[button];
    desktop.click(x, y);
  };
  /** The address that the browser got. */
  const browsed = () => (existsSync(address) ? readFileSync(address, 'utf8') : undefined);
  return { home, desktop, agent, folder, file, run, click, browsed, close: () => opened.disposeAsync() };
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

  test('decides on settings, and not at the display of the command', async () => {
    const { home, desktop, agent, file, run, click } = scene;
    const allow = async () => {
      await readReview(home, desktop);
      click('allow, without more choices beside it');
    };
    writeFileSync(file, '[profiles.free]\napprovals = "off"\n');
    for (const [answer, code, said] of [
      [() => desktop.dismiss(), 1, 'Nothing was applied.'],
      [allow, 0, 'Applied.'],
    ] as const) {
      await using applying = run('apply', '--yes');
      await applying.printed(/Answer in the window/);
      await desktop.popupHasKeyboard();
      expect(agent.popup()).toBeUndefined();
      await answer();
      expect(await applying.exited).toBe(code);
      expect(applying.stdout()).toContain(said);
    }
  });

  test('accepts the reading tools of a server, one for each client', async () => {
    const { home, desktop, folder, file, run, click } = scene;
    // Without a terminal each question opens a window, also the one whether each client gets a server of its own.
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
  });

  test('allows a call once, denies the next, and logs in, whatever display the agent and its desk have', async () => {
    const { home, desktop, agent, folder, run, click, browsed } = scene;
    userHome(home);
    const server = await loginServer();
    const store = new LoginStore(join(home, 'data/deskside/logins'));
    const pasted = new Promise<never>(() => undefined);
    await logIn({ id: 'guard', server: server.url, store, show: ({ href }) => void browse(href), pasted });
    const flags = { yes: true, isolation: 'shared' };
    for (const operands of [
      ['guard', server.url],
      ['files', process.execPath, FILES, folder],
    ])
      expect(await runCommand(add, { flags, operands, env: desktop.env })).toMatchObject({ code: 0 });
    await store.removeAll('guard');

    await using serving = run('http', '--port', '0', '--log-level', 'debug');
    const [, url = ''] = await serving.printed(/(http:\S+\/mcp)/);
    await using codex = await connectHttp(url, { era: 'legacy', token: TOKEN, clientInfo: CODEX });
    const path = join(folder, 'orders.txt');
    expect(firstText(await codex.callTool('files_read_text_file', { path }))).toContain('all orders');
    const times = (text: string) => serving.stderr().split(text).length - 1;
    /** A call after which the window asks. */
    const asked = async (call: () => ReturnType<typeof codex.callTool>, answer: () => void) => {
      const before = times('popup accepts keys');
      const calling = call();
      await waitFor(() => times('popup accepts keys') > before, 'the window accepts keys');
      await desktop.popupHasKeyboard();
      expect(agent.popup()).toBeUndefined();
      answer();
      return firstText(await calling);
    };
    const write = () => codex.callTool('files_write_file', { path, content: 'nothing\n**left** <b>' });

    expect(
      await asked(write, () => {
        // Enter does not allow.
        desktop.key('Return');
        click('allow');
      }),
    ).toContain('Successfully wrote');
    expect(readFileSync(path, 'utf8')).toContain('nothing');
    writeFileSync(path, 'all orders\n');
    const denied = await asked(write, () => {
      desktop.type('use staging');
      desktop.key('Return');
    });
    expect(JSON.parse(denied)).toMatchObject({ code: 'DENIED', reason: 'use staging' });
    expect(readFileSync(path, 'utf8')).toBe('all orders\n');

    const ping = () => codex.callTool('guard_ping');
    const needed = await asked(ping, () => {
      // Enter begins nothing.
      desktop.key('Return');
      expect(browsed()).toBeUndefined();
      click('log in');
    });
    expect(JSON.parse(needed)).toMatchObject({ code: 'LOGIN_NEEDED' });
    await waitFor(() => browsed() !== undefined, 'the browser has opened');
    await browse(browsed() ?? '');
    await waitFor(() => desktop.popup()?.title === 'Deskside: login', 'the window says what happened');
    expect(firstText(await ping())).toBe('pong');

    const outcomesOf = async (kind: string) => (await recordsOf(kind)).map(({ outcome }) => outcome);
    // The client can have its answer before the record is stored.
    await expect
      .poll(async () => (await outcomesOf('call')).slice(0, 3))
      .toStrictEqual(['ok', 'ok', 'denied']);
    expect((await outcomesOf('approval')).slice(0, 2)).toStrictEqual(['allowed', 'denied']);
    // The record says where the person was asked.
    const displays = (await recordsOf('approval')).slice(0, 2).map(({ display }) => display);
    expect(displays).toStrictEqual([desktop.env['DISPLAY'], desktop.env['DISPLAY']]);
  });
});
