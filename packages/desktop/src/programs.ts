import { execFile, spawn } from 'node:child_process';
import { constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { accessProblem } from '@deskside/core/base';

/**
 * Runs a program of the system.
 *
 * @returns what it printed; undefined if it fails, does not exist or takes too long
 */
export function outputOf(
  { env }: { readonly env: Readonly<Record<string, string | undefined>> },
  command: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, env: { ...env }, windowsHide: true };
    execFile(command, args, options, (error, stdout) => resolve(error === null ? stdout : undefined));
  });
}

/** Where a program runs. */
interface System {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program that runs longer than this has opened the address: some stay until their browser ends. */
const OPENED_MS = 1500;

/**
 * Opens a web or mail address in the person's default browser.
 *
 * @returns false if the program that opens addresses cannot be started, or ends with an error within 1.5 s
 */
export function openInBrowser({ platform, env }: System, address: string): Promise<boolean> {
  const { command, args } = openCommand(platform, address);
  const child = spawn(command, args, { detached: true, stdio: 'ignore', env: { ...env } });
  child.unref();
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
    setTimeout(() => resolve(true), OPENED_MS).unref();
  });
}

/** No shell: none of these programs runs its argument as a command. */
export function openCommand(platform: NodeJS.Platform, address: string): { command: string; args: string[] } {
  if (platform === 'darwin') return { command: 'open', args: [address] };
  if (platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', address] };
  return { command: 'xdg-open', args: [address] };
}

/** True for a file that this user may execute. Folders have the same permission bit. */
export function isProgram(path: string): boolean {
  if (accessProblem(path, constants.X_OK) !== undefined) return false;
  try {
    return statSync(path).isFile();
  } catch {
    // A program of the Windows Store can be started, and not be examined.
    return true;
  }
}

/** The paths that programs would have in the folders of PATH, in the order of the names. */
export function programPaths(names: readonly string[], path: string | undefined): string[] {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}
