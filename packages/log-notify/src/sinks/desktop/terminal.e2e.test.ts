import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findTerminal, raiseTerminal } from '@deskside/desktop';
import {
  cleanEnvironment,
  isInstalled,
  type Program,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { CLI } from '../../testing/bin.ts';
import { canShowNotifications, startDesktopSession } from '../../testing/desktop-session.ts';

const WINDOW = join(import.meta.dirname, '../../testing/terminal-window.js');

const hasScreen = canShowNotifications && isInstalled('gjs', 'openbox', 'xdotool');

const event = JSON.stringify({
  hook_event_name: 'Stop',
  session_id: 's',
  cwd: '/home/me/shop',
  last_assistant_message: 'All tests pass.',
});

/** Ends when the hook has ended. */
async function runHook(terminal: Program): Promise<void> {
  const before = terminal.stdout().length;
  terminal.child.stdin.write(
    `sh -c 'printf %s "$1" | "$2" "$3" send --hook' sh '${event}' '${process.execPath}' '${CLI}'\n`,
  );
  await expect.poll(() => terminal.stdout().slice(before), { timeout: 20_000 }).toContain('exited with 0');
}

describe.skipIf(!hasScreen)('an agent in a terminal', () => {
  test('is silent while its terminal has the focus, also on a busy machine, and a click on its notification raises the terminal', async () => {
    await using session = await startDesktopSession();
    const { home } = session;
    const env = { ...session.env, GDK_BACKEND: 'x11' };
    // Under another name no program takes it for the desktop of the person.
    const command = join(home, 'test-window-manager');
    symlinkSync(spawnSync('which', ['openbox'], { encoding: 'utf8' }).stdout.trim(), command);
    await using manager = startProgram({ command, args: ['--sm-disable'], env });
    await using terminal = startProgram({ command: 'gjs', args: [WINDOW, 'terminal'], env });
    await terminal.printed(/mapped/);
    const activeTitle = () =>
      spawnSync('xdotool', ['getactivewindow', 'getwindowname'], { env, encoding: 'utf8' }).stdout.trim();
    await expect.poll(activeTitle).toBe('terminal');
    await runHook(terminal);
    expect(existsSync(join(home, 'state/deskside/notify.jsonl'))).toBe(false);
    const { pid: processId = 0 } = terminal.child;
    const [found] = await Promise.all([findTerminal({ env, processId }), session.delay(1500)]);
    expect(found).toMatchObject({ hasFocus: true });

    await using other = startProgram({ command: 'gjs', args: [WINDOW, 'other'], env });
    await other.printed(/mapped/);
    await expect.poll(activeTitle).toBe('other');
    await runHook(terminal);
    const shown = await session.shown(/summary: 'Claude Code[\s\S]*?\n\}/);
    expect(shown).toContain("summary: 'Claude Code · shop has finished'");
    expect(shown).toContain("body: 'All tests pass.'");
    await session.click();
    await expect.poll(activeTitle).toBe('terminal');
    expect(manager.stderr()).toBe('');
  });
});

test.skipIf(!isInstalled('tmux'))('a click shows the pane of tmux', async () => {
  const folder = temporaryFolder();
  const socket = join(folder, 'tmux');
  const env = { ...cleanEnvironment(folder), TERM: 'xterm' };
  const tmux = (...args: readonly string[]) =>
    spawnSync('tmux', ['-S', socket, ...args], { env, encoding: 'utf8' }).stdout.trim();
  try {
    const pane = tmux('-f', '/dev/null', 'new-session', '-d', '-P', '-F', '#{pane_id}', 'cat');
    tmux('split-window', 'cat');
    tmux('new-window', 'cat');
    const state = () => tmux('display-message', '-p', '-t', pane, '#{pane_active}#{window_active}');
    expect(state()).toBe('00');
    await raiseTerminal({ tmux: { socket, pane } }, env);
    expect(state()).toBe('11');
  } finally {
    tmux('kill-server');
  }
});
