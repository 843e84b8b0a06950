import { root } from '@deskside/repo';
import { execa } from 'execa';
import type { Check, CheckResult } from './check.ts';

/** Runs a program of this repository and answers how it went, never throwing. */
export const command = execa({
  cwd: root,
  preferLocal: true,
  localDir: import.meta.dirname,
  env: { TURBO_TELEMETRY_DISABLED: '1' },
  stdin: 'ignore',
  all: true,
  reject: false,
  timeout: 10 * 60_000,
});

interface Ended {
  readonly failed: boolean;
  readonly all?: string | undefined;
  readonly shortMessage?: string | undefined;
}

/** One result: whether the program ended with exit code 0. */
export async function commandResult(name: string, running: PromiseLike<Ended>): Promise<CheckResult> {
  const { failed, all = '', shortMessage = '' } = await running;
  return failed ? { name, status: 'failed', detail: `${shortMessage}\n${all}` } : { name, status: 'passed' };
}

export function commandCheck(name: string, file: string, args: readonly string[] = []): Check {
  return { name, run: async () => [await commandResult(name, command(file, args))] };
}
