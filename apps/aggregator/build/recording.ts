import { execFile as execFileWithCallback, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { missingPackages, openDesktop, waitFor } from '@deskside/notify-popup/testing/desktop';
import { withoutBlinking } from '@deskside/notify-popup/testing/picture';
import { record } from '@deskside/notify-popup/testing/recording';

// Records README's film: `pnpm pictures`, or `node build/recording.ts [--dpi 96] [--to FOLDER]`. An agent asks in a terminal, a
// person answers in the window, and the log has it. All programs are real. Needs the Debian packages of the tests on a real
// screen, and xterm.
const { values } = parseArgs({ options: { dpi: { type: 'string' }, to: { type: 'string' } } });
const folder = values.to ?? join(import.meta.dirname, '../../../docs/pictures');
const dpi = Number(values.dpi ?? '144');
const size = { width: (1080 * dpi) / 96, height: (520 * dpi) / 96 };
const KEY_MS = '90';

const CLI = join(import.meta.dirname, '../dist/bin/cli.js');
const AGENT = join(import.meta.dirname, 'recorded-agent.ts');
const COLORS = {
  light: { back: '#f6f8fa', front: '#1f2328', green: '#1a7f37', blue: '#0969da' },
  dark: { back: '#0d1117', front: '#e6edf3', green: '#3fb950', blue: '#58a6ff' },
};
const execFile = promisify(execFileWithCallback);

const missing = [...missingPackages, ...(existsSync('/usr/bin/xterm') ? [] : ['xterm'])];
if (missing.length > 0) throw new Error(`Install these packages first: ${missing.join(', ')}`);
mkdirSync(folder, { recursive: true });
for (const theme of ['light', 'dark'] as const) {
  const home = join(tmpdir(), 'recording');
  mkdirSync(join(home, 'bin'), { recursive: true });
  mkdirSync(join(home, 'web-shop'));
  await recordAnswer(home, theme);
  // The browser may still write.
  rmSync(home, { recursive: true, maxRetries: 10 });
}

async function recordAnswer(home: string, theme: keyof typeof COLORS): Promise<void> {
  const screen = `${size.width}x${size.height}`;
  await using desktop = await openDesktop(home, { screen, framebuffer: ['-fbdir', home] });
  const resources = ['-set', 'RESOURCE_MANAGER', `Xft.dpi: ${dpi}\n`];
  desktop.run('xprop', '-root', '-f', 'RESOURCE_MANAGER', '8s', ...resources);
  withoutBlinking(home);
  addProgram(home, 'deskside', [process.execPath, CLI]);
  addProgram(home, 'release-agent', [process.execPath, AGENT, 'deskside', 'stdio']);
  const options = {
    env: {
      ...desktop.env,
      PATH: `${join(home, 'bin')}:${desktop.env['PATH']}`,
      PS1: '\\[\\e[1m\\]$ \\[\\e[0m\\]',
      NOTIFY_POPUP_THEME: theme,
    },
    cwd: join(home, 'web-shop'),
  };
  const { back, front, green, blue } = COLORS[theme];
  const colors = ['-bg', back, '-fg', front, '-xrm', `*color2: ${green}`, '-xrm', `*color6: ${blue}`];
  const look = ['-fa', 'DejaVu Sans Mono', '-fs', '11', '-b', '14', '+sb', '-fullscreen', ...colors];
  const terminal = spawn('xterm', [...look, '-e', 'bash', '--norc', '--noprofile'], options);
  await waitFor(() => desktop.window('XTerm') !== undefined, 'a terminal');
  // The pointer would be in the picture.
  desktop.run('xdotool', 'mousemove', String(size.width), String(size.height));
  // The first client starts the desk.
  execFileSync('deskside', ['stdio', '--attach-timeout', '60'], { ...options, input: '' });

  // Not in this process: the recording goes on.
  const type = (text: string) => execFile('xdotool', ['type', '--delay', KEY_MS, '--', text], options);
  const recording = record(home, size);
  await delay(1500);
  await type('release-agent');
  desktop.key('Return');
  await desktop.popupHasKeyboard();
  await delay(6000);
  await type('To 5 % first, and tell me the error rate');
  await delay(1500);
  desktop.key('Return');
  await delay(5000);
  await type('deskside log');
  await delay(500);
  desktop.key('Return');
  await delay(9000);
  await recording.write(join(folder, `recording-${theme}.webp`));
  execFileSync('deskside', ['stop'], options);
  terminal.kill();
  await once(terminal, 'exit');
}

function addProgram(home: string, name: string, words: readonly string[]): void {
  const line = words.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(home, 'bin', name), `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 });
}
