import { silentLog } from '@deskside/core';
import { folders } from '@deskside/core/cli';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createAggregator } from '../aggregator.ts';
import { openAttachServer } from '../attach/attach-server.ts';
import { type RunOptions, runCommand, SELF } from '../testing/commands.ts';
import { foreignServer } from '../testing/foreign-server.ts';
import { userHome } from '../testing/user-home.ts';
import { program } from './index.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Runs a command of version 0.2.0. */
async function run(name: string, options: RunOptions): Promise<string> {
  const command = await program({ ...SELF, version: '0.2.0' }).commands[name]?.load();
  if (command === undefined || !('run' in command)) throw new Error(`no command ${name}`);
  return (await runCommand(command, options)).stdout;
}

/** From this line on. */
const end = (stdout: string, line: string) => stdout.slice(stdout.indexOf(line));

const OLDER =
  'The running desk (0.1.0) is older and may not follow this. End the clients of that version, then run "deskside stop".\n';

test.each([
  ['0.1.0', OLDER],
  ['0.2.0', ''],
  [undefined, ''],
])('beside a running desk of version %s, a command that it follows adds %j', async (version, said) => {
  const { edit, text } = userHome();
  const foreign = await foreignServer([{ name: 'read', inputSchema: { type: 'object' } }]);
  if (version !== undefined) {
    const server = await openAttachServer({
      self: { ...SELF, version },
      data: folders().data,
      settings: {},
      isExplicit: false,
      user: 'ada',
      log: silentLog,
      aggregator: await createAggregator({ mounts: [] }),
    });
    onTestFinished(() => server?.close());
  }
  const flags = { yes: true };
  const added = 'Added docs. A running desk of this version has it now.\n';
  expect(end(await run('add', { operands: ['docs', foreign.url], flags }), added)).toBe(`${added}${said}`);
  edit(`${text()}block = ["read"]\n`);
  const applied = 'Applied. A running desk of this version uses it.\n';
  expect(end(await run('apply', { flags }), applied)).toBe(`${applied}${said}`);
  expect(await run('remove', { operands: ['docs'] })).toBe(`Removed docs.\n${said}`);
  // It fails, and has changed nothing.
  expect(await run('remove', { operands: ['docs'] })).toBe('');
  expect(await run('quiet', { operands: ['off'] })).toBe(`Agents may interrupt.\n${said}`);
  // These change nothing.
  expect(await run('quiet', {})).toBe('Agents may interrupt.\n');
  expect(await run('apply', { flags: { ...flags, 'dry-run': true } })).not.toContain('is older');
});
