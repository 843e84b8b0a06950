import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Subject } from './start.ts';

const bin = join(
  dirname(fileURLToPath(import.meta.resolve('@deskside/aggregator/package.json'))),
  'dist/bin/cli.js',
);

/** Its first start in a home starts the desk there. */
export const attachedClient: Subject = {
  name: 'deskside stdio',
  script: bin,
  // The first start waits for the desk, which takes longer than a second on a busy machine.
  args: ['stdio', '--attach-timeout', '60'],
};

/** Ends the desk of a home folder. */
export async function stopDesk(home: string): Promise<void> {
  await once(spawn(process.execPath, [bin, 'stop'], { env: { HOME: home }, stdio: 'ignore' }), 'exit');
}
