import { execFileSync } from 'node:child_process';

/** Debian's names of what the tests on a real screen need, by the programs' names. */
const PACKAGES = {
  Xvfb: 'xvfb',
  openbox: 'openbox',
  xdotool: 'xdotool',
  wmctrl: 'wmctrl',
  xclip: 'xclip',
  xrandr: 'x11-xserver-utils',
  xprop: 'x11-utils',
  chromium: 'chromium',
} as const;

/** Packages that are missing on this machine: where there are any, tests on a screen are skipped. */
export const missingPackages: readonly string[] = Object.entries(PACKAGES).flatMap(([program, name]) =>
  isInstalled(program) ? [] : [name],
);

/** For the title of such tests. */
export const needs = missingPackages.length === 0 ? '' : ` (needs ${missingPackages.join(', ')})`;

function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
