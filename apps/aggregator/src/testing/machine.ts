import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { onTestFinished, vi } from 'vitest';
import { CLIENTS, clientNamed } from '@deskside/connect';
import { connect } from '../commands/connect.ts';
import { type Ran, runCommand, SELF } from './commands.ts';

const PROGRAM = join(import.meta.dirname, 'client-program.ts');

/** A home folder with the files of clients, and with the programs of some clients. */
export function machine(programs: readonly string[] = []) {
  const home = temporaryFolder();
  const env: Record<string, string> = {
    PATH: join(home, 'bin'),
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
  };
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries({ ...env, XDG_DATA_HOME: join(home, 'data') })) {
    if (name !== 'PATH') vi.stubEnv(name, value);
  }
  const fileOf = (id: string) => clientNamed(id).file({ platform: 'linux', home, env });
  mkdirSync(join(home, 'bin'));
  for (const name of programs) {
    const client = CLIENTS.find(({ program }) => program === name);
    const target = client === undefined ? '' : fileOf(client.id);
    mkdirSync(dirname(target), { recursive: true });
    const script = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" ${name} "${target}" "$@"\n`;
    writeFileSync(join(home, 'bin', name), script, { mode: 0o755 });
  }
  return {
    home,
    env,
    fileOf,
    write(id: string, text: string, mode = 0o644): string {
      const file = fileOf(id);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode });
      return file;
    },
    run: (id: string, flags: Record<string, string | boolean> = {}): Promise<Ran> =>
      runCommand(connect(SELF), { operands: [id], flags, env }),
  };
}
