import type { Self } from './self.ts';
import type { Place } from './client.ts';

/** How this program is started again. */
export interface Invocation {
  /** What a person types: with `npx` or in a clone there is no command `deskside` on the path. */
  readonly typed: string;
  /** What a client starts, without a shell. */
  readonly command: string;
  readonly args: readonly string[];
}

export function invocationOf(
  { platform, command: [node, file] }: Pick<Self, 'platform' | 'command'>,
  env: Place['env'],
): Invocation {
  const { npm_lifecycle_event: script, npm_package_name: owner } = env;
  // A clone serves its clients itself: the published package may be another version.
  if ((script === 'start' || script === 'deskside') && owner === 'deskside-workspace') {
    return { typed: script === 'start' ? 'npm start --' : './deskside', command: node, args: [file] };
  }
  const typed = script === 'npx' ? 'npx -y @deskside/aggregator' : 'deskside';
  const args = ['-y', '@deskside/aggregator'];
  // On Windows `npx` is a script.
  return platform === 'win32'
    ? { typed, command: 'cmd', args: ['/c', 'npx', ...args] }
    : { typed, command: 'npx', args };
}

/**
 * What a client starts as a hook. Codex passes text of its model as an argument, which `cmd` would run; Rust 1.77.2 and
 * newer escapes the arguments of a `.cmd` file. Git Bash, in which Claude Code runs hooks, makes `C:/` of `/c`.
 */
export function hookProgram({ command, args }: Pick<Invocation, 'command' | 'args'>): readonly string[] {
  return command === 'cmd' ? ['npx.cmd', ...args.slice(2)] : [command, ...args];
}
