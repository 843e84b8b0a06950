import { readFileSync, writeFileSync } from 'node:fs';
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

test.each(ERAS)('serve-stdio.ts serves the library over stdio in the %s era', async (era) => {
  await using peer = await connectStdio(program('serve-stdio.ts'), { era });
  expect((await peer.callTool('get_book', { id: 1 })).structuredContent).toMatchObject({ found: true });
});

test('serve-http.ts serves two paths, each user with an own token', async () => {
  await using running = startProgram({
    ...program('serve-http.ts'),
    env: { ...cleanEnvironment(temporaryFolder()), PORT: '0' },
  });
  const [, url = ''] = await running.printed(/MCP at (\S+)/);
  for (const era of ERAS) {
    await using peer = await connectHttp(url, { era, token: 'token-of-ada-0001' });
    expect((await peer.callTool('get_book', { id: 1 })).structuredContent).toMatchObject({ found: true });
    await using travel = await connectHttp(`${url}/travel`, { era, token: 'token-of-grace-01' });
    expect((await travel.getPrompt('plan_trip', { country: 'Italy' })).messages).toHaveLength(1);
  }
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
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
  writeFileSync(file, '{"b":"second","a":"first","secret":"x"}');
  const args = ['--file', file, '--hidden', 'secret'];
  await using peer = await connectStdio(program('program.ts', ...args), { era: 'modern' });
  const { resources } = await peer.client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(['index', 'a', 'b']);

  const help = await run('program.ts', ['--help']);
  expect(help.stdout).toContain('--sort ORDER (default: name)');
  expect(help.stdout).toContain('NOTES_HIDDEN');
  expect(await run('program.ts', ['doctor', ...args])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Notes +2\n/),
  });
  expect(await run('program.ts', ['--file', '/no/such/file'])).toMatchObject({
    code: 1,
    stderr: 'notes: The notes in /no/such/file cannot be read. Pass another file with --file.\n',
  });
  expect((await run('program.ts', ['--sort', 'size'])).stderr).toContain('--sort: use one of name, none');
});

test('commands.ts has commands with operands, settings and a token', async () => {
  expect(await run('commands.ts', ['hello', 'Ada', '-s'])).toEqual({
    code: 0,
    stdout: 'HELLO ADA\n',
    stderr: 'Greeted.\n',
  });
  expect((await run('commands.ts', ['hello', '-'], { input: 'Grace\n' })).stdout).toBe('Hello Grace\n');
  expect(await run('commands.ts', ['hello'])).toMatchObject({
    code: 1,
    stderr: 'greet hello: The name is missing. Write it after hello.\n',
  });
  expect((await run('commands.ts', ['helo'])).stderr).toContain('Did you mean "hello"?');
  expect((await run('commands.ts', ['settings', '--admin-port', '9100'])).stdout).toMatch(
    /^127\.0\.0\.1:\d+, admin 9100\n/,
  );
  const home = temporaryFolder();
  const { stdout } = await run('commands.ts', ['token', 'show'], { home });
  expect(readFileSync(join(home, 'data/deskside/token'), 'utf8')).toBe(stdout);
});

test('http-program.ts prints the configuration of a client that can connect', async () => {
  await using running = startProgram({
    ...program('http-program.ts', '--port', '0'),
    env: cleanEnvironment(temporaryFolder()),
  });
  const [, url = ''] = await running.printed(/"url": "([^"]+)"/);
  const [, token = ''] = await running.printed(/"Authorization": "Bearer ([^"]+)"/);
  await using peer = await connectHttp(url, { era: 'modern', token });
  expect(peer.instructions).toBe('Start with list_books.');
});
