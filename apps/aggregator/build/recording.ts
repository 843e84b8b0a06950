import { execFile as execFileWithCallback, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { waitFor } from '@deskside/notify-popup/testing/desktop';
import { takePictures } from '@deskside/notify-popup/testing/picture';
import { record } from '@deskside/notify-popup/testing/recording';

// Records README's film: `pnpm pictures`. An agent asks in a terminal, a person answers in the window, and the log has it. All
// programs are real. Needs xterm, too.
const SIZE = { width: 1080, height: 520 };
const KEY_MS = '90';

const CLI = join(import.meta.dirname, '../dist/bin/cli.js');
const AGENT = join(import.meta.dirname, 'recorded-agent.ts');
const COLORS = {
  light: { back: '#f6f8fa', front: '#1f2328', green: '#1a7f37', blue: '#0969da' },
  dark: { back: '#0d1117', front: '#e6edf3', green: '#3fb950', blue: '#58a6ff' },
};
const execFile = promisify(execFileWithCallback);

if (!existsSync('/usr/bin/xterm')) throw new Error('Install this package first: xterm');
await takePictures('recording', SIZE, async ({ desktop, home, theme, scale, pathOf }) => {
  const size = { width: SIZE.width * scale, height: SIZE.height * scale };
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, 'web-shop'));
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
  await recording.write(pathOf('recording', 'webp'));
  execFileSync('deskside', ['stop'], options);
  terminal.kill();
  await once(terminal, 'exit');
});

function addProgram(home: string, name: string, words: readonly string[]): void {
  const line = words.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(home, 'bin', name), `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 });
}
