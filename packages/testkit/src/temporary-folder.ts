import { temporaryFolder as openFolder } from '@deskside/core/testing';
import { onTestFinished, vi } from 'vitest';

/** A real folder that is removed when the running test ends. */
export function temporaryFolder(): string {
  const folder = openFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

/** A folder that is the home of the user, on every platform, until the running test ends. */
export function temporaryHome(): string {
  const folder = temporaryFolder();
  for (const name of ['HOME', 'LOCALAPPDATA', 'XDG_STATE_HOME']) vi.stubEnv(name, folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}
