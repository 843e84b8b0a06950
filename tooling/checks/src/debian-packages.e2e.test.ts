import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { installPackages } from './debian-packages.ts';

test('a package that the distribution lacks keeps no other from being installed, and apt is asked for it once', async () => {
  const folder = temporaryFolder();
  const script = `#!/bin/sh
echo "$*" >> "${folder}/calls"
case "$*" in *chromium-headless-shell*) exit 100 ;; esac
for each; do case "$each" in openbox | tmux) : > "${folder}/$each" ;; esac; done
`;
  writeFileSync(join(folder, 'apt-get'), script, { mode: 0o755 });
  vi.stubEnv('PATH', folder);
  const uid = vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(0);
  onTestFinished(() => {
    uid.mockRestore();
    vi.unstubAllEnvs();
  });
  const install = async () => (await installPackages(join(folder, 'tried'))).map(({ name }) => name);
  const missing = await install();
  expect(missing).toContain('debian package chromium-headless-shell');
  expect(missing).not.toContain('debian package openbox');
  expect(missing).not.toContain('debian package tmux');
  const calls = readFileSync(join(folder, 'calls'), 'utf8');
  expect(await install()).toStrictEqual(missing);
  expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe(calls);
});
