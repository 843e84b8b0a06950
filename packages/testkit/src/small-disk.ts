import { execFileSync, spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

/** Root in a container often has no right to mount. */
export const canMount: boolean =
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/run']).status === 0;

/** A folder that is a file system of this size, with at most so many files and folders. */
export function smallDisk(kilobytes: number, files = 1000): string {
  const folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,nr_inodes=${files}`, 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}
