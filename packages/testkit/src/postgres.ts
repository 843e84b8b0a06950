import { chownSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { execFileSync } from 'node:child_process';
import { type Program, startProgram } from './program.ts';
import { signalAll } from './signal.ts';

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/** Debian does not put the server's programs on the PATH. */
const [initdb] = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted().toReversed();

export const hasPostgres: boolean = initdb !== undefined;

/**
 * Starts a server in a new folder, which listens on a Unix socket. Its superuser, `postgres`, needs no password. Its files
 * are lost if the machine crashes, not if the server does.
 *
 * @param settings of postgresql.conf: `listen_addresses` and `port` make it listen on TCP too
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}) {
  if (initdb === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const become = unprivileged(folder.path);
  const cluster = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  execFileSync('env', [...become, initdb, '-D', data, ...cluster], { stdio: 'pipe' });
  const options = { fsync: 'off', listen_addresses: '', ...settings, unix_socket_directories: folder.path };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = [...become, join(dirname(initdb), 'postgres'), '-D', data, ...flags];
  let running: Program | undefined;

  const start = async () => {
    running = startProgram({ command: 'env', args });
    await running.printed(/ready to accept connections/);
  };
  const stop = async () => {
    // "Fast shutdown": it waits for no client.
    running?.child.kill('SIGINT');
    await running?.exited;
    running = undefined;
  };
  await start();
  return {
    url(database: string, role = 'postgres') {
      const { port = '5432' } = settings;
      return `postgres://${role}@${encodeURIComponent(folder.path)}:${port}/${database}`;
    },
    /** Starts it again after `stop`. Resolves when it accepts connections. */
    start,
    /** Ends all connections, as a restart does. */
    stop,
    /** Stops all its processes meanwhile, as a frozen host does. */
    async whileFrozen<T>(work: () => Promise<T>): Promise<T> {
      const pids = processTree(running?.child.pid);
      signalAll('SIGSTOP', pids);
      try {
        return await work();
      } finally {
        // The server comes last.
        signalAll('SIGCONT', pids.toReversed());
      }
    },
    async [Symbol.asyncDispose]() {
      await stop();
      folder[Symbol.dispose]();
    },
  };
}

function processTree(root: number | undefined): readonly number[] {
  if (root === undefined) return [];
  const children = readFileSync(`/proc/${root}/task/${root}/children`, 'utf8').split(' ').filter(Boolean);
  return [root, ...children.map(Number)];
}

/**
 * The server refuses to run as root, so root runs it as the user of Debian's package, who gets the folder.
 *
 * @returns words before a command
 */
function unprivileged(folder: string): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const [user, group] = ['-u', '-g'].map((flag) => execFileSync('id', [flag, 'postgres']).toString().trim());
  chownSync(folder, Number(user), Number(group));
  return ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups'];
}
