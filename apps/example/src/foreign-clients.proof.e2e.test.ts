import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentLog } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import {
  cleanEnvironment,
  connectHttp,
  connectStdio,
  freePort,
  installedProgram,
  installPackages,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { definition, open } from './server.ts';
import { ANSWERS, answers } from './testing/answers.ts';
import { foreignClients, type Reached } from './testing/foreign-clients.ts';

const CACHE = join(homedir(), '.cache', 'deskside-proof', 'clients');
const TOKEN = 'a-token-of-the-test';
const EXAMPLE = [process.execPath, join(import.meta.dirname, 'cli.ts')] as const;
const [command, program] = EXAMPLE;
const overStdio: Reached = { command, args: [program] };
const run = promisify(execFile);

/** The example over HTTP with a token, until the test ends. */
async function servedExample() {
  const serving = await serve(definition(open()), {
    ownsProcess: false,
    log: silentLog,
    http: { port: 0, auth: { token: TOKEN } },
  });
  return {
    url: String(serving.url),
    headers: { Authorization: `Bearer ${TOKEN}` as const },
    [Symbol.asyncDispose]: () => serving.close(),
  };
}

describe.each(foreignClients)('$client', ({ client, packages, ask }) => {
  let cwd = '';
  beforeAll(async () => {
    cwd = join(CACHE, client.replaceAll(' ', '-'));
    await installPackages(packages, cwd, true);
  });
  const asked = async (reached: Reached) => {
    const env = cleanEnvironment(temporaryFolder());
    const { stdout } = await run(process.execPath, [...ask(reached)], { cwd, env });
    return stdout;
  };
  const ANSWER = /22:04.+22:19.+22:34.+truncated.+true/s;

  test('reads the answer of a server on core over stdio', async () => {
    expect(await asked(overStdio)).toMatch(ANSWER);
  });

  test('reads the answer of a server on core over HTTP with a token', async () => {
    await using served = await servedExample();
    const { url, headers } = served;
    expect(await asked({ url, headers })).toMatch(ANSWER);
  });
});

const bridge = (spec: string, name: string) => installedProgram(spec, name, CACHE);

describe('behind a bridge', () => {
  test.each([
    {
      name: 'mcp-remote',
      spec: 'mcp-remote@0.15.1',
      args: (url: string) => [url, '--allow-http', '--header', `Authorization:Bearer ${TOKEN}`],
    },
    {
      name: 'supergateway',
      spec: 'supergateway@4.0.0',
      args: (url: string) => ['--streamableHttp', url, '--oauth2Bearer', TOKEN, '--logLevel', 'none'],
    },
  ])('a server over HTTP answers a client of stdio through $name', async ({ name, spec, args }) => {
    await using served = await servedExample();
    const started = { command, args: [await bridge(spec, name), ...args(served.url)] };
    await using peer = await connectStdio(
      { ...started, env: cleanEnvironment(temporaryFolder()) },
      { era: 'legacy' },
    );
    expect(await answers(peer)).toEqual(ANSWERS);
  });

  test('a server over stdio answers a client of HTTP through mcp-proxy', async () => {
    const port = await freePort();
    const env = cleanEnvironment(temporaryFolder());
    const started = ['--server', 'stream', '--host', '127.0.0.1', '--port', String(port), '--', ...EXAMPLE];
    const args = [await bridge('mcp-proxy@6.7.19', 'mcp-proxy'), ...started];
    await using proxy = startProgram({ command, args, env });
    const url = `http://127.0.0.1:${port}/mcp`;
    // It does not say when it listens.
    const answersAt = () =>
      fetch(url).then(
        async ({ body }) => body?.cancel().then(() => true) ?? true,
        () => false,
      );
    await expect.poll(async () => (await answersAt()) || proxy.stderr()).toBe(true);
    await using peer = await connectHttp(url, { era: 'legacy' });
    expect(await answers(peer)).toEqual(ANSWERS);
  });
});
