import '@deskside/core/stdout';
import { runProgram } from '@deskside/core/program';
import type { NotAttached } from './attach/client.ts';
import { program } from './commands/index.ts';

/** Everything that the program does, except for `deskside stdio` with a desk. */
export async function runDeskside(
  { pid, platform, getuid, execPath, argv }: NodeJS.Process,
  version: string,
  { reason }: NotAttached = {},
): Promise<void> {
  const command = [execPath, argv[1] ?? ''] as const;
  await runProgram(program({ version, pid, command, platform, uid: getuid?.(), aloneBecause: reason }));
}
