import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Machine } from '../machine/machine.ts';
import type { DriverName } from './driver-names.ts';
import { firstExecutable, onPath } from './executables.ts';
import { WINDOW_SIZE, type WindowDriver, type WindowRequest } from './window-driver.ts';
import { startWindow } from './window-process.ts';

/** Milliseconds the check may take that an interpreter has what the script needs. */
const PATIENCE = 3000;

interface Script {
  readonly name: DriverName;
  readonly interpreter: string;
  /** Come before the script's path. */
  readonly flags: readonly string[];
  readonly file: string;
  /** Arguments with which the interpreter ends well only where it can run the script. */
  readonly check?: readonly string[];
  readonly missing: string;
}

const scripts = {
  gtk: {
    name: 'webkit-gjs',
    interpreter: 'gjs',
    flags: [],
    file: 'webkit-gtk.js',
    check: ['-c', "imports.gi.versions.Gtk = '3.0'; imports.gi.versions.WebKit2 = '4.1'; imports.gi.WebKit2"],
    missing: 'no gjs with WebKitGTK 4.1',
  },
  mac: {
    name: 'webkit-jxa',
    interpreter: 'osascript',
    flags: ['-l', 'JavaScript'],
    file: 'webkit-mac.js',
    missing: 'no osascript',
  },
} satisfies Record<string, Script>;

/** The system's own web view, opened by a short script for an interpreter that the system has. */
export function scriptDriver(kind: keyof typeof scripts, machine: Machine): WindowDriver {
  const script: Script = scripts[kind];
  return {
    name: script.name,
    centres: true,
    exitTells: true,
    async probe() {
      const found = await firstExecutable(onPath([script.interpreter], machine.env['PATH']));
      const works = found !== undefined && (script.check === undefined || (await runs(found, script.check)));
      return works ? { found } : { missing: script.missing };
    },
    open: (command, request) => startWindow(machine, command, scriptArguments(kind, request)),
  };
}

export function scriptArguments(kind: keyof typeof scripts, { entrance, title }: WindowRequest): string[] {
  const { flags, file } = scripts[kind];
  // Two levels up in the sources, in `dist` and in the bundle alike.
  const path = fileURLToPath(new URL(`../native/${file}`, import.meta.url));
  return [
    ...flags,
    path,
    pathToFileURL(entrance).href,
    title,
    `${WINDOW_SIZE.width}`,
    `${WINDOW_SIZE.height}`,
  ];
}

function runs(command: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: PATIENCE }, (error) => resolve(error === null));
  });
}
