import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { temporaryFolder } from '@deskside/core/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoreUnavailable } from '../store/task-store.ts';
import { openTodo } from '../todo.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { callerContext } from './store-under-test.ts';

/** All signs of a URL, and blanks. */
const PASSWORD = 'a @secret %[p#a/s:s]? word@';

/** @param database of a server that listens on a port of localhost, which accepts only encrypted connections from now on */
export function describeTls(database: () => PostgresDatabase): void {
  /** Adds a task over TCP. */
  async function addOver(settings: string, { host = 'localhost', password = PASSWORD } = {}) {
    const url = `postgres://app:${password}@${host}:${database().port}/todo${settings}`;
    const todo = openTodo({ database: url });
    onTestFinished(() => todo[Symbol.asyncDispose]());
    const store = await todo.store();
    return store.add(callerContext('anna'), { title: 'Milk', description: null });
  }

  describe('TLS', () => {
    const folder = temporaryFolder();
    const ca = join(folder.path, 'ca.pem');

    beforeAll(async () => {
      await database().clear();
      const { query } = database();
      // Programs of the server run in its data folder, as its user: the key must belong to it.
      await query(`COPY (SELECT 1) TO PROGRAM 'openssl req -x509 -nodes -newkey rsa:2048 -keyout server.key -out server.crt -days 2 \
      -subj /CN=localhost -addext subjectAltName=DNS:localhost 2> openssl.log'`);
      await query(`COPY (SELECT unnest(ARRAY['local all all trust', 'hostssl all all all scram-sha-256']))
      TO PROGRAM 'cat > pg_hba.conf'`);
      await query(`ALTER ROLE app PASSWORD '${PASSWORD}'`);
      await query('ALTER SYSTEM SET ssl = on');
      await query('SELECT pg_reload_conf()');
      const [certificate] = await query<{ pem: string }>("SELECT pg_read_file('server.crt') AS pem");
      writeFileSync(ca, certificate?.pem ?? '');
      // The server reads its settings again.
      const rows = async () => expect(await query('SHOW ssl')).toStrictEqual([{ ssl: 'on' }]);
      await vi.waitFor(rows, { timeout: 30_000 });
    });
    afterAll(() => folder[Symbol.dispose]());

    test('a connection that checks the certificate of the authority is encrypted, with the password encoded or as it is', async () => {
      for (const password of [PASSWORD, encodeURIComponent(PASSWORD)]) {
        const added = await addOver(`?sslmode=verify-full&sslrootcert=${ca}`, { password });
        expect(added).toMatchObject({ title: 'Milk' });
      }
      const connections = await database().query(
        "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'app'",
      );
      expect(connections).toStrictEqual([{ ssl: true }]);
    });

    const CHECKED = '?sslmode=verify-full';
    const WRONG = { password: 'a-wrong-password' };
    const WITH_CA = `${CHECKED}&sslrootcert=CA`;

    test.each([
      ['without its authority', CHECKED, {}, /certificate.*sslrootcert=\/path\/ca\.pem/],
      ['with another name', WITH_CA, { host: '127.0.0.1' }, /127\.0\.0\.1.*use a name of the certificate/],
      ['with a missing file', `${CHECKED}&sslrootcert=/no/ca.pem`, {}, /ENOENT.*\/no\/ca\.pem/],
      ['without encryption', '', {}, /no encryption.*sslmode=verify-full/],
      ['with a wrong password', WITH_CA, WRONG, /password authentication failed for user "app"/],
    ])(
      'a connection %s is refused, and the reason says what to do, without the password',
      async (_, settings, given, reason) => {
        const refused = await addOver(settings.replace('CA', ca), given).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(StoreUnavailable);
        expect(refused).toHaveProperty('reason', expect.stringMatching(reason));
        // All that a log can print.
        expect(inspect(refused, { depth: 9 })).not.toMatch(/secret|a-wrong-password/);
      },
    );
  });
}
