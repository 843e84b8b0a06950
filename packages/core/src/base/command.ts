import { execFile } from 'node:child_process';

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
