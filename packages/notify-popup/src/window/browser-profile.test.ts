import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { machineLike } from '../testing/machine.ts';
import { freshProfile, tidyProfile } from './browser-profile.ts';

function lock(profile: string, pid: number | undefined): void {
  symlinkSync(`${hostname()}-${pid}`, join(profile, 'SingletonLock'));
}

/** A process group that sleeps; it has the words among its arguments. */
function sleeper(...words: readonly string[]) {
  const args = ['-e', 'setInterval(() => undefined, 1000)', '--', ...words];
  const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a browser that a killed server left in the profile is killed', async () => {
  const profile = temporaryFolder();
  const browser = sleeper(`--user-data-dir=${profile}`);
  const ended = once(browser, 'exit');
  lock(profile, browser.pid);
  await freshProfile(profile, machineLike({}));
  expect(await ended).toStrictEqual([null, 'SIGKILL']);
});

test('another process that has the id of an old lock is left alone', async () => {
  const profile = temporaryFolder();
  const other = sleeper('--something-else');
  lock(profile, other.pid);
  await freshProfile(profile, machineLike({}));
  expect(other.kill(0)).toBe(true);
  await tidyProfile(profile);
  expect(readdirSync(profile)).toStrictEqual([]);
});

test('a profile that has become too much is thrown away', async () => {
  const profile = temporaryFolder();
  const cache = join(profile, 'cache');
  writeFileSync(cache, '');
  truncateSync(cache, 100 * 1024 * 1024);
  await tidyProfile(profile);
  expect(existsSync(cache)).toBe(true);
  truncateSync(cache, 100 * 1024 * 1024 + 1);
  await tidyProfile(profile);
  expect(existsSync(profile)).toBe(false);
});
