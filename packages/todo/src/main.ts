import '@deskside/core/stdout';
import { runServer } from '@deskside/core/program';
import type { FirstExchanges } from '@deskside/core/internal';
import { todoProgram } from './commands/index.ts';

/** Everything that the program does after its first answers. */
export function run(first?: FirstExchanges): Promise<void> {
  return runServer(todoProgram, first);
}
