import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Check, command, resultOf, withTemporaryFolder } from './check.ts';

/** Includes the build. */
const START_TIMEOUT_MS = 4 * 60_000;
const STOP_TIMEOUT_MS = 20_000;

/** The first steps in a new clone with an empty home: start, stop npm with a signal, show the token. */
export const npmStart: Check = {
  name: 'npm start',
  run: () =>
    withTemporaryFolder(async (home) => {
      const env = {
        HOME: home,
        XDG_CONFIG_HOME: join(home, 'config'),
        XDG_DATA_HOME: join(home, 'data'),
        XDG_STATE_HOME: join(home, 'state'),
      };
      const { faults, text } = await startAndEnd(env);
      const file = join(home, 'data/deskside/token');
      const token = (await readFile(file, 'utf8').catch(() => 'no token file')).trim();
      const shown = await command('npm', ['start', '--silent', '--', 'token', 'show'], { env });
      return [
        resultOf('npm start serves until SIGTERM', faults),
        resultOf('npm start names the commands that connect a client and print the token in a clone', [
          ...(text.includes('npm start -- connect claude-code')
            ? []
            : [`names no command that connects: ${text}`]),
          ...(text.includes('npm start -- token show') ? [] : [`names no command for the token: ${text}`]),
          ...(text.includes(token) ? ['prints the token itself'] : []),
        ]),
        resultOf('npm start -- token show', shown.stdout === token ? [] : [shown.all]),
      ];
    }),
};

interface Started {
  readonly faults: string[];
  readonly text: string;
}

async function startAndEnd(env: Record<string, string>): Promise<Started> {
  const running = command('npm', ['start', '--', '--port', '0'], {
    env,
    detached: true,
    timeout: START_TIMEOUT_MS,
  });
  const { promise: serving, resolve } = Promise.withResolvers<string | undefined>();
  let text = '';
  running.all.on('data', (chunk) => {
    text += String(chunk);
    if (text.includes('token show')) resolve(/serves MCP at (\S+)/.exec(text)?.[1]);
  });
  void running.then(() => resolve(undefined));
  const url = await serving;
  try {
    if (url === undefined) return { faults: [`does not serve: ${text}`], text };
    return { faults: await servingFaults(new URL(url), () => running.kill('SIGTERM')), text };
  } finally {
    endGroup(running.pid);
    await running;
  }
}

async function servingFaults({ origin, hostname, port }: URL, end: () => void): Promise<string[]> {
  const { status } = await fetch(`${origin}/healthz`);
  if (status !== 200) return [`/healthz answers ${status}`];
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  end();
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
  return closed.then(
    () => [],
    () => ['the server still runs after SIGTERM to npm'],
  );
}

/** Kills the processes that a failed start leaves. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}
