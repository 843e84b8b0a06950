// oxlint-disable eslint/no-restricted-imports -- the one place that asks the process what machine this is
import { homedir, tmpdir, userInfo } from 'node:os';
import { cwd, env, platform } from 'node:process';

/** What the popup needs to know of the machine it runs on. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly temporary: string;
  readonly user: string;
  /** −1 on Windows. */
  readonly uid: number;
  readonly workingDirectory: string;
}

export function thisMachine(): Machine {
  const { uid, username } = userInfo();
  return {
    platform,
    env,
    home: homedir(),
    temporary: tmpdir(),
    user: username,
    uid,
    workingDirectory: cwd(),
  };
}
