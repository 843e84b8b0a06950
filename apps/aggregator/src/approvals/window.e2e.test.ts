import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectHttp, firstText, startProgram, temporaryFolder } from '@deskside/testkit';
import { missingPackages, needs, openDesktop, waitFor } from '@deskside/notify-popup/testing/desktop';
import { takePicture } from '@deskside/notify-popup/testing/picture';
import { expect, onTestFinished, test } from 'vitest';
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
/** Places of the buttons, from the lower right corner of the window, in pixels. */
const ALLOW = [-105, -35] as const;
/** Without more choices beside it. */
const ALONE = [-50, -35] as const;
const TOKEN = 'a-token-for-the-person-at-the-screen';
const CODEX = { name: 'codex-mcp-client', version: '1.0.0' };

/** A desktop with a real desk, a real server of others, and an agent. */
async function openScene() {
  const home = temporaryFolder();
  const desktop = await openDesktop(home, { framebuffer: ['-fbdir', home] });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const project = join(home, 'infra');
  const env = withPersonAt(desktop.env, {
    ...desktop.env,
    // Of an agent that started the desk, or of the shell of the command: it does not count.
    DISPLAY: '',
    NOTIFY_POPUP_THEME: 'light',
    CLAUDE_PROJECT_DIR: project,
    DESKSIDE_TOKEN: TOKEN,
  });
  const folder = join(home, 'work');
  for (const each of [folder, project]) mkdirSync(each);
  writeFileSync(join(folder, 'orders.txt'), 'all orders\n');
  const run = (...args: readonly string[]) =>
    startProgram({ command: process.execPath, args: [BIN, ...args], env });
  const picture = async (name: string) => {
    if (PICTURES !== undefined) await takePicture(home, desktop.popup, join(PICTURES, `${name}.png`));
  };
  return { home, desktop, env, folder, run, picture };
}

test.skipIf(missingPackages.length > 0)(
  `a person at a real screen adds a server, allows a call once, and denies the next${needs}`,
  async () => {
    const { home, desktop, folder, run, picture } = await openScene();
    await using adding = run('add', 'files', '--isolation', 'shared', '--', process.execPath, FILES, folder);
    await adding.printed(/Answer in the window/);
    await picture('add');
    await readReview(home, desktop);
    desktop.click(...ALONE);
    expect(await adding.exited).toBe(0);
    expect(adding.stdout()).toContain('Added files.');

    await using serving = run('http', '--port', '0', '--log-level', 'debug');
    const [, url = ''] = await serving.printed(/(http:\S+\/mcp)/);
    await using agent = await connectHttp(url, { era: 'legacy', token: TOKEN, clientInfo: CODEX });
    const path = join(folder, 'orders.txt');
    expect(firstText(await agent.callTool('files_read_text_file', { path }))).toContain('all orders');
    const accepting = () => serving.stderr().split('popup accepts keys').length - 1;
    const write = async (name: string, answer: () => void) => {
      const before = accepting();
      const writing = agent.callTool('files_write_file', { path, content: 'nothing\n**left** <b>' });
      await waitFor(() => accepting() > before, 'the window accepts keys');
      await desktop.popupHasKeyboard();
      await picture(name);
      answer();
      return firstText(await writing);
    };

    expect(
      await write('allow', () => {
        // Enter does not allow.
        desktop.key('Return');
        desktop.click(...ALLOW);
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
    const ended = await records(run);
    expect(ended).toStrictEqual(['call ok', 'approval allowed', 'call ok', 'approval denied', 'call denied']);
  },
);

/** Kinds and outcomes of what the agent did, in their order. */
async function records(
  run: (...args: readonly string[]) => ReturnType<typeof startProgram>,
): Promise<readonly string[]> {
  await using log = run('log', '--json', '--agent', 'Codex');
  await log.exited;
  const all = log
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  return all
    .toSorted((one, other) => String(one['ended']).localeCompare(String(other['ended'])))
    .map(({ kind, outcome }) => `${kind} ${outcome}`);
}
