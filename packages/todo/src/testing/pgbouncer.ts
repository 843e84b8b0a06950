import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram, temporaryFolder, freePort } from '@deskside/testkit';
import { onTestFinished } from 'vitest';

/** Debian does not put it on the PATH of all users. */
const PGBOUNCER = '/usr/sbin/pgbouncer';

export const hasPgBouncer: boolean = existsSync(PGBOUNCER);

/**
 * Starts PgBouncer in front of a database.
 *
 * @param database the URL of the database, with the role and the folder of the socket
 * @param mode for what a client gets a connection of the database
 * @param more lines of its settings, which come last
 * @returns the URL of the database through PgBouncer
 */
export async function startPgBouncer(
  database: string,
  mode: 'session' | 'transaction' | 'statement' = 'transaction',
  more: readonly string[] = [],
): Promise<string> {
  const {
    role = '',
    folder = '',
    port = '',
    name = '',
  } = /^postgres:\/\/(?<role>\w+)@(?<folder>[^:]+):(?<port>\d+)\/(?<name>\w+)$/.exec(database)?.groups ?? {};
  const listenPort = await freePort();
  const file = join(temporaryFolder(), 'pgbouncer.ini');
  const settings = [
    '[databases]',
    `${name} = host=${decodeURIComponent(folder)} port=${port} user=${role}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    // After a restart of the database it tries again at once.
    'server_login_retry = 1',
    ...more,
  ];
  writeFileSync(file, settings.join('\n'));
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const program = startProgram({ command: PGBOUNCER, args: [...user, file] });
  onTestFinished(() => program[Symbol.asyncDispose]());
  await program.printed(/process up/);
  return `postgres://${role}@127.0.0.1:${listenPort}/${name}`;
}
