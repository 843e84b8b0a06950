import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import recorded from './first-messages.json' with { type: 'json' };

/** What hosts and SDKs send before the first call, in their own bytes. */
export const firstMessages: Readonly<Record<string, readonly string[]>> = recorded;

/**
 * How a built server starts without first answers.
 *
 * @param bin the folder of its `main.js`
 * @returns arguments of Node.js
 */
export function unpreparedServer(bin: string, args: readonly string[] = []): readonly string[] {
  const code = `import { run } from ${JSON.stringify(pathToFileURL(join(bin, 'main.js')).href)}; await run(undefined, process.env);`;
  return ['--input-type=module', '--eval', code, 'main.js', ...args];
}
