/** The built program `deskside`, as if it had a later version. */
import { join } from 'node:path';
import type { runDeskside as run } from '../main.ts';

const VERSION = '99.0.0';
const BUILT_MAIN = join(import.meta.dirname, '../../dist/bin/main.js');

const [, , command] = process.argv;
const notAttached =
  command === 'stdio' ? await (await import('../attach/client.ts')).attachedStdio(process, VERSION) : {};
if (notAttached !== undefined) {
  const { runDeskside } = (await import(BUILT_MAIN)) as { readonly runDeskside: typeof run };
  await runDeskside(process, VERSION, notAttached);
}
