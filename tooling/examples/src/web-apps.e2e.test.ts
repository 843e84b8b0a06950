import { join } from 'node:path';
import { cleanEnvironment, connectHttp, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';

const TOKEN = 'token-of-the-examples';

test('hono-app.ts serves MCP in both eras beside its own pages, and ends on SIGTERM', async () => {
  await using program = startProgram({
    command: process.execPath,
    args: [join(import.meta.dirname, 'hono-app.ts')],
    env: { ...cleanEnvironment(temporaryFolder()), MCP_TOKEN: TOKEN, PORT: '0' },
  });
  const [, url = ''] = await program.printed(/MCP at (\S+)/);
  for (const era of ['legacy', 'modern'] as const) {
    await using peer = await connectHttp(url, { era, token: TOKEN });
    expect((await peer.callTool('get_book', { id: 1 })).structuredContent).toEqual({
      found: true,
      book: { id: 1, title: 'Emma', year: 1815 },
    });
  }
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  expect((await fetch(url, { method: 'POST', headers: { origin: 'https://evil.example' } })).status).toBe(
    403,
  );
  expect(await (await fetch(new URL('/', url))).text()).toBe('Hello');
  program.child.kill('SIGTERM');
  expect(await program.exited).toBe(0);
});
