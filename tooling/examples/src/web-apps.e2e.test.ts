import { join } from 'node:path';
import { cleanEnvironment, connectHttp, startProgram, temporaryFolder } from '@deskside/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';

const TOKEN = 'token-of-the-examples';
const ERAS = ['legacy', 'modern'] as const;

/** Starts an application with its own page beside MCP. */
async function start(name: string) {
  const program = startProgram({
    command: process.execPath,
    args: [join(import.meta.dirname, name)],
    env: { ...cleanEnvironment(temporaryFolder()), MCP_TOKEN: TOKEN, PORT: '0' },
  });
  onTestFinished(() => program[Symbol.asyncDispose]());
  const [, url = ''] = await program.printed(/MCP at (\S+)/);
  return { program, url };
}

describe.each(['hono-app.ts', 'express-app.ts', 'node-app.ts'])('%s', (name) => {
  test('serves MCP in both eras beside its own pages, and ends on SIGTERM', async () => {
    const { program, url } = await start(name);
    for (const era of ERAS) {
      await using peer = await connectHttp(url, { era, token: TOKEN });
      expect((await peer.callTool('get_book', { id: 1 })).structuredContent).toMatchObject({ found: true });
    }
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await fetch(url, { method: 'POST', headers: { origin: 'https://evil.example' } })).status).toBe(
      403,
    );
    const page =
      name === 'express-app.ts'
        ? fetch(new URL('/echo', url), {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: '["Hello"]',
          })
        : fetch(new URL('/', url));
    expect(await (await page).text()).toContain('Hello');
    program.child.kill('SIGTERM');
    expect(await program.exited).toBe(0);
  });
});
