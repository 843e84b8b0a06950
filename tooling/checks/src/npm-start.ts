import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Check, resultOf } from './check.ts';
import { command } from './command.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

/** Milliseconds: the build may have to be done; the server has two seconds to end, and npm's end is looked for. */
const START_LIMIT = 4 * 60_000;
const END_LIMIT = 20_000;

/** What a person does first in a clone, in an empty home: start, end npm from outside, look the token up. */
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
      const token = (await readFile(file, 'utf8').catch(() => 'no token was made')).trim();
      const shown = await command('npm', ['start', '--silent', '--', 'token', 'show'], { env });
      return [
        resultOf('npm start serves until it is ended', faults),
        resultOf('npm start shows a configuration', [
          ...(text.includes(`"Bearer ${token}"`) ? [] : [`no configuration with the token: ${text}`]),
          ...(text.includes('`npm start -- token show`') ? [] : ['not how a clone shows the token']),
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
    timeout: START_LIMIT,
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
    if (url === undefined) return { faults: [`never served: ${text}`], text };
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
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(END_LIMIT) });
  return closed.then(
    () => [],
    () => ['SIGTERM to npm does not end it'],
  );
}

/** What a start that does not end leaves behind. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody is left, as it should be.
  }
}
