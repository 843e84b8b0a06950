import { fileURLToPath, pathToFileURL } from 'node:url';
import { isProgram, outputOf, programPaths } from '@deskside/core/base';
import type { SystemInfo } from '../desktop/system.ts';
import type { DriverName, WindowDriver, WindowRequest } from './driver.ts';
import { startWindow } from './process.ts';

const CHECK_TIMEOUT_MS = 3000;

interface Script {
  readonly name: DriverName;
  readonly interpreter: string;
  /** Arguments before the script. */
  readonly flags: readonly string[];
  readonly file: string;
  /** Arguments for a test run: the interpreter succeeds only if it can run the script. */
  readonly check?: readonly string[];
  readonly missing: string;
}

const SCRIPTS = {
  gtk: {
    name: 'webkit-gjs',
    interpreter: 'gjs',
    flags: [],
    file: 'webkit-gtk.js',
    check: ['-c', "imports.gi.versions.Gtk = '3.0'; imports.gi.versions.WebKit2 = '4.1'; imports.gi.WebKit2"],
    missing: 'no gjs with WebKitGTK 4.1 found',
  },
  mac: {
    name: 'webkit-jxa',
    interpreter: 'osascript',
    flags: ['-l', 'JavaScript'],
    file: 'webkit-mac.js',
    missing: 'no osascript found',
  },
} satisfies Record<string, Script>;

/** The system's web view, opened by a short script for an interpreter that comes with the system. */
export function webkitDriver(kind: keyof typeof SCRIPTS, system: SystemInfo): WindowDriver {
  const script: Script = SCRIPTS[kind];
  return {
    name: script.name,
    centersWindow: true,
    exitCodeMeansClosed: true,
    async probe() {
      const found = programPaths([script.interpreter], system.env['PATH']).find(isProgram);
      const works =
        found !== undefined &&
        (script.check === undefined ||
          (await outputOf(system, found, script.check, CHECK_TIMEOUT_MS)) !== undefined);
      return works ? { found } : { missing: script.missing };
    },
    open: (command, request) => startWindow(system, command, scriptArguments(script, request)),
  };
}

function scriptArguments(
  { flags, file }: Script,
  { redirectFile, title, size, takesKeyboard }: WindowRequest,
): string[] {
  // `window/native` is beside this module's folder in src and dist, and beside `bin` in a bundle.
  const path = fileURLToPath(new URL(`../window/native/${file}`, import.meta.url));
  const keyboard = takesKeyboard ? 'takes-keyboard' : 'leaves-keyboard';
  return [
    ...flags,
    path,
    pathToFileURL(redirectFile).href,
    title,
    `${size.width}`,
    `${size.height}`,
    keyboard,
  ];
}
