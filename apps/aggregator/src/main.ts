import '@deskside/core/stdout';
import { runProgram } from '@deskside/core/cli';
import type { NotAttached } from './attach/client.ts';
import { program } from './commands/index.ts';

/** Everything that the program does, except for `deskside stdio` with a desk. */
export async function runDeskside(
  { pid, platform, getuid }: NodeJS.Process,
  version: string,
  { reason }: NotAttached = {},
): Promise<void> {
  await runProgram(program({ version, pid, platform, uid: getuid?.(), aloneBecause: reason }));
}
