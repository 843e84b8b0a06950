import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { WorkspacePackage } from '@deskside/repo';
import { resultOf, type CheckResult } from '../check.ts';
import { command } from '../command.ts';
import type { Runtime, Runtimes } from './runtimes.ts';
import { refusal, trialsOf, type Trial } from './trials.ts';

/** Runs the installed bin as a host does: by `npx`, here in an empty home. */
export async function checkBin(
  label: (aspect: string) => string,
  bin: string,
  product: WorkspacePackage,
  runtimes: Runtimes,
  folder: string,
): Promise<CheckResult[]> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });

  async function run({ aspect, args, input = '', faults }: Trial, runtime: Runtime): Promise<CheckResult> {
    const ended = await command('npx', ['--no-install', bin, ...args], {
      cwd: folder,
      env: {
        HOME: home,
        npm_config_loglevel: 'error',
        npm_config_offline: 'true',
        PATH: [runtime.folder, process.env['PATH']].join(delimiter),
        XDG_CONFIG_HOME: undefined,
        XDG_DATA_HOME: undefined,
        XDG_STATE_HOME: undefined,
      },
      preferLocal: false,
      stdin: 'pipe',
      input,
      timeout: 60_000,
    });
    const found = faults(ended);
    const output = found.length > 0 ? [ended.all] : [];
    return resultOf(label(`npx ${bin} ${aspect} on ${runtime.label}`), [...found, ...output]);
  }

  const results: CheckResult[] = [];
  for (const runtime of runtimes.supported) {
    for (const trial of trialsOf(product)) results.push(await run(trial, runtime));
  }
  results.push(await run(refusal, runtimes.tooOld));
  return results;
}
