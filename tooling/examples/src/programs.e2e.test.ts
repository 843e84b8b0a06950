import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanEnvironment,
  connectHttp,
  connectStdio,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { expect, test } from 'vitest';

const ERAS = ['legacy', 'modern'] as const;

function program(name: string, ...args: readonly string[]) {
  return { command: process.execPath, args: [join(import.meta.dirname, name), ...args] };
}

test('serve-http.ts serves two paths, each user with an own token', async () => {
  await using running = startProgram({
    ...program('serve-http.ts'),
    env: { ...cleanEnvironment(temporaryFolder()), PORT: '0' },
  });
  const [, url = ''] = await running.printed(/MCP at (\S+)/);
  for (const era of ERAS) {
    await using peer = await connectHttp(url, { era, token: 'token-of-ada-0001' });
    const { structuredContent } = await peer.callTool('list_departures', { stop: 'Harbor' });
    expect(structuredContent).toMatchObject({ truncation: { totalAvailable: 5 } });
    await using travel = await connectHttp(`${url}/travel`, { era, token: 'token-of-grace-01' });
    expect((await travel.getPrompt('plan_trip', { country: 'Italy' })).messages).toHaveLength(1);
  }
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
});

test('remote-app.ts names its authorization server to clients without a token, and ends on SIGTERM', async () => {
  const issuer = 'https://login.example.com/';
  await using running = startProgram({
    ...program('remote-app.ts'),
    env: { ...cleanEnvironment(temporaryFolder()), ISSUER: issuer, PORT: '0' },
  });
  const [, url = ''] = await running.printed(/MCP at (\S+)/);
  const refused = await fetch(url, { method: 'POST', body: '{}' });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=');
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
  expect(await metadata.json()).toMatchObject({
    authorization_servers: [issuer],
    scopes_supported: ['trams'],
  });
  running.child.kill('SIGTERM');
  expect(await running.exited).toBe(0);
});

/** Runs a program to its end. */
async function run(name: string, args: readonly string[], { home = temporaryFolder(), input = '' } = {}) {
  await using running = startProgram({ ...program(name, ...args), env: cleanEnvironment(home) });
  running.child.stdin.end(input);
  const code = await running.exited;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

test('program.ts is a server with options, a help page and a doctor', async () => {
  const file = join(temporaryFolder(), 'notes.json');
  writeFileSync(file, '{"b":"second","a":"first"}');
  const args = ['--file', file];
  await using peer = await connectStdio(program('program.ts', ...args), { era: 'modern' });
  const { resources } = await peer.client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(['index', 'a', 'b']);

  const help = await run('program.ts', ['--help']);
  expect(help.stdout).toContain('--sort ORDER (default: name)');
  expect(help.stdout).toContain('NOTES_SORT');
  expect(await run('program.ts', ['doctor', ...args])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Notes +2\n/),
  });
  expect(await run('program.ts', ['--file', '/no/such/file'])).toMatchObject({
    code: 1,
    stderr: 'notes: /no/such/file cannot be read. Pass another file with --file.\n',
  });
  expect((await run('program.ts', ['--sort', 'size'])).stderr).toContain('--sort: use one of name, none');
});
