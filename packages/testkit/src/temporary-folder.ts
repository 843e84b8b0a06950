import { temporaryFolder as openFolder } from '@deskside/core/testing';
import { onTestFinished } from 'vitest';

/** A real folder that is removed when the running test ends. */
export function temporaryFolder(): string {
  const folder = openFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}
