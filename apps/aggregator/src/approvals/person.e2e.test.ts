import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { connectHttp, firstText, startProgram } from '@deskside/testkit';
import { missingPackages, needs, openDesktop, waitFor } from '@deskside/notify-popup/testing/desktop';
import { takePicture } from '@deskside/notify-popup/testing/picture';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
  const env = withPersonAt(desktop.env, {
    ...desktop.env,
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
  const close = () => opened.disposeAsync();
  return { home, desktop, agent, folder, file, run, picture, click, close };
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
});
