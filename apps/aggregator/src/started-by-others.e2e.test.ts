import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, connectStdio, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import * as z from 'zod';

const root = join(import.meta.dirname, '../../..');
const BIN = join(import.meta.dirname, '../dist/bin/cli.js');

test('the container image starts a server that answers without a screen', async () => {
  const dockerfile = readFileSync(join(root, 'docker/Dockerfile'), 'utf8');
  expect(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]')).toStrictEqual(['deskside']);
  const args = z.array(z.string()).parse(JSON.parse(/^CMD (\[".*)$/m.exec(dockerfile)?.[1] ?? '[]'));
  const env = { ...cleanEnvironment(temporaryFolder()), DESKSIDE_TOKEN: 'a-token-of-the-container' };
  await using server = startProgram({ command: process.execPath, args: [BIN, ...args, '--port', '0'], env });
  const [, port = ''] = await server.printed(/http:\/\/[^/\s]+:(\d+)\/mcp/);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});

test("the plugin of Claude Code starts the desk's client", async () => {
  const plugin = z
    .object({
      version: z.string(),
      mcpServers: z.object({ deskside: z.object({ command: z.literal('npx'), args: z.array(z.string()) }) }),
    })
    .parse(JSON.parse(readFileSync(join(root, 'plugins/deskside/.claude-plugin/plugin.json'), 'utf8')));
  const [yes, name, ...args] = plugin.mcpServers.deskside.args;
  expect([yes, name]).toStrictEqual(['-y', '@deskside/aggregator']);
  const manifest = readFileSync(join(root, 'apps/aggregator/package.json'), 'utf8');
  expect(plugin.version).toBe(z.object({ version: z.string() }).parse(JSON.parse(manifest)).version);
  await using peer = await connectStdio(
    {
      command: process.execPath,
      args: [BIN, ...args, '--standalone'],
      env: cleanEnvironment(temporaryFolder()),
    },
    { era: 'legacy' },
  );
  expect((await peer.listTools()).map((tool) => tool.name)).toContain('popup_notify');
});
