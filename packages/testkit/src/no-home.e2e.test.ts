import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chosenRows } from './chosen.ts';
import { connectStdio } from './connect.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Each bin of a package that is published, with the arguments that serve MCP over stdio. */
const bins = globSync('{packages,apps}/*/package.json', { cwd: ROOT }).flatMap((file) => {
  const { bin = {} } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { bin?: Record<string, string> };
  // The package `deskside` only starts the program of the aggregator.
  if (dirname(file) === 'apps/deskside') return [];
  return Object.entries(bin).map(([name, path]) => ({ name, path: join(ROOT, dirname(file), path) }));
});

/** Starts a program without HOME under a user id that has no passwd entry, as in many containers. */
const START = ['-i', '-C', '/', `PATH=${process.env['PATH']}`, 'setpriv', '--reuid=54321', '--regid=54321'];

describe.skipIf(process.getuid?.() !== 0)('under a user id without a passwd entry and without HOME', () => {
  test('there are six programs', () => expect(bins).toHaveLength(6));

  test.each(chosenRows(bins, 3))('$name answers its listings', async ({ name, path }) => {
    const program = [process.execPath, path, ...(name === 'deskside' ? ['stdio'] : [])];
    const args = [...START, '--clear-groups', ...program];
    await using peer = await connectStdio({ command: 'env', args }, { era: 'legacy' });
    const { client } = peer;
    const { prompts, resources } = client.getServerCapabilities() ?? {};
    if (prompts) await client.listPrompts();
    if (resources) await Promise.all([client.listResources(), client.listResourceTemplates()]);
    const tools = (await peer.listTools()).map((tool) => tool.name);
    expect(tools).not.toHaveLength(0);
    if (name === 'deskside')
      expect(tools).toEqual(expect.arrayContaining(['todo_add_task', 'popup_notify', 'log_notify']));
  });
});
