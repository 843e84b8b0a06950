import { execFileSync, spawnSync } from 'node:child_process';
import { temporaryFolder } from '@deskside/testkit';
import { onTestFinished } from 'vitest';

/** Root in a container often has no right to mount. */
export const canMount: boolean =
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/run']).status === 0;

/** A folder that is a file system of this size. */
export function smallDisk(kilobytes: number): string {
  const folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}
