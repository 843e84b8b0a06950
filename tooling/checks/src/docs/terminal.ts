import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { openDesktop, waitFor } from '@deskside/notify-popup/testing/desktop';
import { takePicture } from '@deskside/notify-popup/testing/picture';
import { published } from '../workspace.ts';

const DPI = '144';
const LOOK =
  '-class deskside-terminal -fa monospace -fs 11 -b 20 -bg #0d1117 -bd #0d1117 -fg #e6edf3 +sb -u8';
const SANDBOX = 'unshare --map-root-user --mount --net sh -c';
// Debian's package `faketime`; the loader finds the folder of the machine's architecture.
const FAKE_TIME_LIBRARY = '/usr/$LIB/faketime/libfaketime.so.1';

/** xterm with the shell of a user "anna", in which the built programs of all packages are installed. */
export interface Terminal extends AsyncDisposable {
  /** For programs outside of the terminal that use the same home folder and clock. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops the clock of all programs at this time, for example `2026-11-19 16:18:37`. */
  setTime(time: string): void;
  /** Types a command at the next prompt. Resolves when it has printed the text. */
  enter(command: string, shows: string): Promise<void>;
  /** Resolves when the shell waits for a command. */
  prompt(): Promise<void>;
  /** Resolves when the terminal shows the text. */
  shows(text: string): Promise<void>;
  takePicture(path: string): Promise<void>;
}

export async function openTerminal(size: { columns: number; lines: number }): Promise<Terminal> {
  const temporary = temporaryFolder();
  const folder = temporary.path;
  const home = join(folder, 'anna');
  const [bin, time, output] = [join(folder, 'bin'), join(folder, 'time'), join(folder, 'output')];
  for (const path of [home, bin, join(folder, 'homes/anna')]) mkdirSync(path, { recursive: true });
  for (const { directory, manifest } of published) {
    for (const [name, file] of Object.entries(manifest.publishConfig?.bin ?? {})) {
      const script = `#!/bin/sh\nLD_PRELOAD='${FAKE_TIME_LIBRARY}' exec '${process.execPath}' '${join(directory, file)}' "$@"\n`;
      writeFileSync(join(bin, name), script, { mode: 0o755 });
    }
  }
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    FAKETIME_TIMESTAMP_FILE: time,
    FAKETIME_NO_CACHE: '1',
    // Only dates stand still, timers run.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
  writeFileSync(
    join(home, '.bashrc'),
    String.raw`PS1='\[\e[1;32m\]anna@desk\[\e[0m\]:\[\e[1;34m\]\w\[\e[0m\]$ '` + '\n',
  );
  // The shell sees the home folder as /home/anna, next to the existing ones, and has a network without other programs.
  const inside = [
    `mount -t overlay overlay -o lowerdir='${folder}/homes:/home' /home`,
    `mount --bind '${home}' /home/anna`,
    'ip link set lo up',
    'cd /home/anna',
    `HOME=/home/anna exec script --quiet --flush --command bash '${output}'`,
  ].join(' && ');
  writeFileSync(output, '');
  const desktop = await openDesktop(folder, { screen: '2000x1400', framebuffer: ['-fbdir', folder] });
  desktop.resources(`Xft.dpi: ${DPI}`);
  const { DISPLAY, XAUTHORITY } = desktop.env;
  const xterm = spawn(
    'xterm',
    `${LOOK} -geometry ${size.columns}x${size.lines} -e ${SANDBOX}`.split(' ').concat(inside),
    { env: { ...env, DISPLAY, XAUTHORITY }, stdio: 'ignore' },
  );
  const shows = (text: string) =>
    waitFor(() => readFileSync(output, 'utf8').includes(text), `the terminal shows "${text}"`);
  const prompt = () => waitFor(() => readFileSync(output, 'utf8').endsWith('$ '), 'the shell has a prompt');
  await prompt();
  return {
    env,
    setTime: (at) => writeFileSync(time, `${at}\n`),
    shows,
    prompt,
    async enter(command, text) {
      await prompt();
      desktop.type(command);
      desktop.key('Return');
      await shows(text);
    },
    async takePicture(path) {
      desktop.run('xdotool', 'mousemove', '2', '2');
      await takePicture(folder, () => desktop.window('deskside-terminal'), path);
    },
    async [Symbol.asyncDispose]() {
      // `script` outlives its terminal, but not its shell.
      const exited = once(xterm, 'exit');
      desktop.key('ctrl+c');
      await prompt();
      desktop.type('exit');
      desktop.key('Return');
      await exited;
      await desktop[Symbol.asyncDispose]();
      temporary[Symbol.dispose]();
    },
  };
}
