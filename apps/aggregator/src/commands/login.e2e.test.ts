import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { freePort, startProgram } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { deskHome } from '../testing/desk-home.ts';

test('login asks the server through the proxy of the environment', async () => {
  const { home, command, run } = deskHome();
  const folder = join(home, 'config/deskside');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'deskside.toml'), '[mcpServers.guard]\nurl = "https://guard.invalid/mcp"\n');
  await run('apply', '--yes');
  const asked: (string | undefined)[] = [];
  const proxy = createServer().on('connect', ({ url }, socket) => {
    asked.push(url);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  onTestFinished(() => void proxy.close());
  const port = await freePort();
  proxy.listen(port, '127.0.0.1');
  const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
  await using login = startProgram(command(['login', 'guard', '--no-browser'], env));
  await login.exited;
  expect(asked).toContain('guard.invalid:443');
});
