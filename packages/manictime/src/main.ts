import '@deskside/core/stdout';
import { runServer } from '@deskside/core/program';
import type { FirstExchanges } from '@deskside/core/internal';
import { program } from './commands/index.ts';
import type { Environment } from './options.ts';

/** Everything that the program does after its first answers. */
export function run(first: FirstExchanges | undefined, env: Environment): Promise<void> {
  return runServer(program(env), first);
}
