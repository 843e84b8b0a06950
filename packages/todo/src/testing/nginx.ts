import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram, temporaryFolder, freePort } from '@deskside/testkit';
import { onTestFinished } from 'vitest';

/** Debian does not put it on the PATH of all users. */
const NGINX = '/usr/sbin/nginx';

export const hasNginx: boolean = existsSync(NGINX);

const DOCUMENTED = join(import.meta.dirname, '../../../../docs/todo-postgres/nginx.conf');

/** A load balancer. */
export interface Balancer {
  readonly url: string;
  /** How many requests the server at a port got or refused. */
  requests(port: number): number;
}

/** Starts nginx in front of two servers as the documentation of PostgreSQL sets it up. */
export async function startNginx(ports: readonly [number, number]): Promise<Balancer> {
  const folder = temporaryFolder();
  const log = join(folder, 'requests.log');
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const here: readonly (readonly [RegExp | string, string])[] = [
    [
      /^.*\n.*resolver .*\n/m,
      `log_format upstream '$upstream_addr'; access_log ${log} upstream; ${temporary.join(' ')}\n`,
    ],
    ['events {}', `daemon off; master_process off; pid ${join(folder, 'pid')}; events {}`],
    ['todo-1:3334 resolve', `127.0.0.1:${ports[0]}`],
    ['todo-2:3334 resolve', `127.0.0.1:${ports[1]}`],
    ['listen 8080', `listen 127.0.0.1:${port}`],
  ];
  const text = here.reduce(
    (rest, [from, to]) => {
      const changed = rest.replace(from, () => to);
      if (changed === rest) throw new Error(`${DOCUMENTED} does not contain ${String(from)}.`);
      return changed;
    },
    readFileSync(DOCUMENTED, 'utf8'),
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, text);
  const program = startProgram({
    command: NGINX,
    args: ['-c', file, '-e', 'stderr', '-g', 'error_log stderr notice;'],
  });
  onTestFinished(() => program[Symbol.asyncDispose]());
  await program.printed(/getrlimit/);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests: (server) => readFileSync(log, 'utf8').split(`:${server}`).length - 1,
  };
}
