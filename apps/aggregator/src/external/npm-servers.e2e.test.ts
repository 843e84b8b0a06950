import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@deskside/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { running } from '../testing/external.ts';
import { callOf } from '../testing/fake.ts';
import { NPM_SERVERS } from '../testing/npm-servers.ts';
import { openDesk } from '../testing/open-desk.ts';

const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';
/** Outside of the repository: what other people publish is no dependency of it. */
const CACHE = join(homedir(), '.cache', 'deskside-proof', 'servers');
const INSTALL_TIMEOUT_MS = 20 * 60_000;

/** The program of an installed package. */
function programOf(name: string): string {
  const folder = join(CACHE, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  const [first = ''] = typeof bin === 'string' ? [bin] : Object.values(bin);
  return join(folder, first);
}

describe.skipIf(!IS_PROOF)('servers from npm', () => {
  beforeAll(async () => {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(join(CACHE, 'package.json'), '{"private":true}');
    const names = NPM_SERVERS.map(({ name }) => name);
    // Without their scripts, some of which load a browser.
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...names];
    await promisify(execFile)('npm', args, { cwd: CACHE, timeout: INSTALL_TIMEOUT_MS });
  }, INSTALL_TIMEOUT_MS);

  test.each(NPM_SERVERS)(
    '$name is listed, and answers a call',
    async ({ name, tool, input = {}, args = [], env = {} }) => {
      const server = {
        command: process.execPath,
        args: [programOf(name), ...args],
        env,
        cwd: temporaryFolder(),
      };
      const { peer, desk } = await openDesk({ x: running(server) });
      const { tools } = (await peer.request('tools/list')) as { tools: readonly { name: string }[] };
      expect(tools.map((each) => each.name)).toContain(`x_${tool}`);
      // Without a key or a network an error of the server is an answer, too.
      const answer = await callOf(peer, `x_${tool}`, input);
      expect(JSON.stringify(answer)).not.toMatch(/"(?:UNAVAILABLE|INVALID_ANSWER)"/);
      expect(answer['content'] ?? answer['error']).toBeDefined();
      expect(await desk.aggregator.mountStates()).toMatchObject([{ state: 'ready' }]);
    },
  );
});
