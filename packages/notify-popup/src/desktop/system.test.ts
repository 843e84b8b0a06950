import { rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { currentSystem } from './system.ts';

const isWindows = process.platform === 'win32';

test.skipIf(isWindows)('a process whose working directory was deleted has none', () => {
  const [folder, before] = [temporaryFolder(), process.cwd()];
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  rmdirSync(folder);
  expect(currentSystem().workingDirectory).toBe('');
});

test.skipIf(isWindows)('an empty HOME is not a home folder', () => {
  vi.stubEnv('HOME', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(currentSystem().home).toBe(tmpdir());
});
