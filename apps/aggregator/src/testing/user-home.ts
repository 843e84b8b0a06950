import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { personsSession } from '@deskside/notify-popup';
import { temporaryFolder } from '@deskside/testkit';
import { onTestFinished, vi } from 'vitest';

export interface UserHome {
  readonly folder: string;
  /** deskside.toml. */
  readonly file: string;
  /** Of deskside.toml. */
  text(): string;
  edit(text: string): void;
}

/**
 * A user for this process, until the end of the test.
 *
 * @param folder that programs of the test have as their home, too. Default: one without files
 */
export function userHome(folder: string = temporaryFolder()): UserHome {
  // The person is logged in at no screen.
  const find = vi.spyOn(personsSession, 'find').mockResolvedValue(undefined);
  onTestFinished(() => find.mockRestore());
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ['CONFIG', 'DATA', 'STATE']) {
    vi.stubEnv(`XDG_${name}_HOME`, join(folder, name.toLowerCase()));
  }
  const file = join(folder, 'config/deskside/deskside.toml');
  mkdirSync(join(file, '..'), { recursive: true });
  return {
    folder,
    file,
    text: () => readFileSync(file, 'utf8'),
    edit: (text) => writeFileSync(file, text),
  };
}
