import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { debianPackages } from './debian-packages.ts';

test('a package that the distribution lacks does not keep the others from being installed', async () => {
  const folder = temporaryFolder();
  const script = `#!/bin/sh
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
  const missing = (await debianPackages.run()).map(({ name }) => name);
  expect(missing).toContain('debian package chromium-headless-shell');
  expect(missing).not.toContain('debian package openbox');
  expect(missing).not.toContain('debian package tmux');
});
