import { execFile } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder as openFolder } from '@deskside/core/testing';
import {
  cleanEnvironment,
  connectHttp,
  connectStdio,
  installedProgram,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANSWERS, answers } from './testing/answers.ts';

const ERAS = ['legacy', 'modern'] as const;
const CACHE = join(homedir(), '.cache', 'deskside-proof');
const TOKEN = 'a-token-of-the-test';
const HTTP_PROGRAM = `import { serve } from '@deskside/core/serving';
import { definition, open } from './server.ts';

const { url } = await serve(definition(open()), { http: { port: 0, auth: { token: '${TOKEN}' } } });
process.stderr.write(\`listens at \${url} \\n\`);
`;

/** What runs JavaScript besides Node.js: the binaries, because signals end only the script that starts them. */
const RUNTIMES = [
  { runtime: 'Bun', spec: '@oven/bun-linux-x64@1.4.4', program: '@oven/bun-linux-x64/bin/bun', args: [] },
  {
    runtime: 'Deno',
    spec: '@deno/linux-x64-glibc@2.9.6',
    program: '@deno/linux-x64-glibc/deno',
    args: ['run', '--allow-all'],
  },
];
const hasRuntimes = process.platform === 'linux' && process.arch === 'x64';

/** The folder of a stranger: the packed core and zod from npm, with the example and a program that serves it over HTTP. */
const folder = openFolder();
afterAll(() => folder[Symbol.dispose]());

beforeAll(async () => {
  if (!hasRuntimes) return;
  const { path } = folder;
  const run = promisify(execFile);
  const core = dirname(fileURLToPath(import.meta.resolve('@deskside/core/package.json')));
  const { stdout } = await run('pnpm', ['pack', '--json', '--pack-destination', path], { cwd: core });
  const { filename } = JSON.parse(stdout) as { readonly filename: string };
  const zod = createRequire(import.meta.url)('zod/package.json') as { readonly version: string };
  writeFileSync(join(path, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', filename, `zod@${zod.version}`];
  await run('npm', args, { cwd: path });
  for (const name of ['server.ts', 'cli.ts']) copyFileSync(join(import.meta.dirname, name), join(path, name));
  writeFileSync(join(path, 'http.ts'), HTTP_PROGRAM);
});

describe.skipIf(!hasRuntimes).each(RUNTIMES)('a server on core in $runtime', ({ spec, program, args }) => {
  let command = '';
  beforeAll(async () => {
    command = await installedProgram(spec, `../${program}`, CACHE);
  });
  const serving = (file: string) => ({
    command,
    args: [...args, join(folder.path, file)],
    env: cleanEnvironment(temporaryFolder()),
  });

  test.each(ERAS)('answers over stdio in the %s era', async (era) => {
    await using peer = await connectStdio(serving('cli.ts'), { era });
    expect(await answers(peer)).toEqual(ANSWERS);
  });

  test('answers over HTTP in both eras, refuses a wrong token, and ends with SIGTERM', async () => {
    await using server = startProgram(serving('http.ts'));
    const [, url = ''] = await server.printed(/listens at (\S+)/);
    for (const era of ERAS) {
      await using peer = await connectHttp(url, { era, token: TOKEN });
      expect(await answers(peer)).toEqual(ANSWERS);
    }
    await expect(connectHttp(url, { era: 'modern', token: 'wrong' })).rejects.toThrow(/Unauthorized|401/);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });
});
