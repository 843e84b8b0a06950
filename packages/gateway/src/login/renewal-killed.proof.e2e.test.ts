import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { randomOf, randomSeeds, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { scriptedServer } from '../testing/authorization-server.ts';
import { running } from '../testing/external.ts';
import { LoginStore } from './login-store.ts';
import { withLogin } from './server-login.ts';

const PROGRAM = join(import.meta.dirname, '../testing/renewal-program.ts');
/** Turns of the event loop that the authorization server takes for an answer. */
const MAX_TURNS = 500;

test('a desk that is killed at any moment of a renewal, also during its request, holds up no other one', async () => {
  let turns = 0;
  const { url, expired } = await scriptedServer({
    async '/token'() {
      for (let turn = 0; turn < turns; turn += 1) await immediate();
      return { json: { access_token: 'new', token_type: 'Bearer' } };
    },
  });
  const folder = join(temporaryFolder(), 'logins');
  const store = new LoginStore(folder);
  await store.save('guard', expired);
  const server = await withLogin('guard', running({ url }), { env: {}, store }).server();
  const login = 'login' in server ? server.login : undefined;
  let interrupted = 0;
  for (const seed of randomSeeds(10, 300)) {
    const random = randomOf(seed);
    turns = random(MAX_TURNS);
    await using killed = startProgram({ command: process.execPath, args: [PROGRAM, url, folder] });
    await killed.printed(/renewed\n/);
    for (let turn = random(2 * MAX_TURNS); turn > 0; turn -= 1) await immediate();
    killed.child.kill('SIGKILL');
    await killed.exited;
    if ((await store.find('guard'))?.renewing !== undefined) interrupted += 1;
    turns = 0;
    const beganAt = performance.now();
    expect(await login?.renewed('new')).toBe('new');
    // Nobody waits until a renewal of an unknown process is over.
    expect(performance.now() - beganAt).toBeLessThan(20_000);
    expect((await store.find('guard'))?.renewing).toBeUndefined();
    const names = readdirSync(folder);
    expect(names).toHaveLength(1);
    for (const name of names) JSON.parse(readFileSync(join(folder, name), 'utf8'));
  }
  expect(interrupted).toBeGreaterThan(0);
});
