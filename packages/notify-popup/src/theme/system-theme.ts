import { execFile } from 'node:child_process';
import type { Machine } from '../machine/machine.ts';
import { themeProbe } from './theme-probe.ts';

/** Milliseconds: the answer is wanted before the window is there. */
const PATIENCE = 300;

/** The theme that the desktop is set to; light where it can't be told. */
export async function systemTheme({ platform, env }: Machine): Promise<'light' | 'dark'> {
  const probe = themeProbe(platform);
  if (probe === undefined) return 'light';
  const output = await new Promise<string>((resolve) => {
    execFile(probe.command, probe.args, { timeout: PATIENCE, env: { ...env } }, (_, stdout) =>
      resolve(stdout),
    );
  });
  return probe.isDark(output) ? 'dark' : 'light';
}
