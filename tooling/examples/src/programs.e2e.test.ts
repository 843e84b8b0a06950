import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanEnvironment,
  connectHttp,
  connectStdio,
  type Program,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { expect, test } from 'vitest';

const ISSUER = 'https://login.example.com/';

function start(name: string, ...args: readonly string[]): Program {
  const env = { ...cleanEnvironment(temporaryFolder()), ISSUER, PORT: '0' };
  return startProgram({ command: process.execPath, args: [join(import.meta.dirname, name), ...args], env });
}

test('serve-http.ts serves two paths, each user with an own token', async () => {
  await using running = start('serve-http.ts');
  const [, url = ''] = await running.printed(/MCP at (\S+)/);
  await using peer = await connectHttp(url, { era: 'modern', token: 'token-of-ada-0001' });
  const { structuredContent } = await peer.callTool('list_departures', { stop: 'Harbor' });
  expect(structuredContent).toMatchObject({ truncation: { totalAvailable: 5 } });
  await using travel = await connectHttp(`${url}/travel`, { era: 'legacy', token: 'token-of-grace-01' });
  expect((await travel.getPrompt('plan_trip', { country: 'Italy' })).messages).toHaveLength(1);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
});

test('remote-app.ts names its authorization server to clients without a token, and ends on SIGTERM', async () => {
  await using running = start('remote-app.ts');
  const [, url = ''] = await running.printed(/MCP at (\S+)/);
  const refused = await fetch(url, { method: 'POST', body: '{}' });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=');
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
  expect(await metadata.json()).toMatchObject({
    authorization_servers: [ISSUER],
    scopes_supported: ['trams'],
  });
  running.child.kill('SIGTERM');
  expect(await running.exited).toBe(0);
});

test('program.ts is a server with options, a help page and a doctor', async () => {
  const file = join(temporaryFolder(), 'notes.json');
  writeFileSync(file, '{"b":"second","a":"first"}');
  const args = [join(import.meta.dirname, 'program.ts'), '--file', file];
  await using peer = await connectStdio({ command: process.execPath, args }, { era: 'modern' });
  const { resources } = await peer.client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(['index', 'a', 'b']);
  for (const [words, code, printed] of [
    [['--help'], 0, /--sort ORDER \(default: name\)[^]*NOTES_SORT/],
    [['doctor', '--file', file], 0, /Notes +2\n/],
    [
      ['--file', '/no/such/file'],
      1,
      /^notes: \/no\/such\/file cannot be read\. Pass another file with --file\.\n$/,
    ],
    [['--sort', 'size'], 1, /--sort: use one of name, none/],
  ] as const) {
    await using running = start('program.ts', ...words);
    running.child.stdin.end();
    expect(await running.exited).toBe(code);
    expect(running.stdout() + running.stderr()).toMatch(printed);
  }
});
