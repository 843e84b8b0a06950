import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment, startProgram } from '@deskside/testkit';
import { type Check, command, resultOf } from './check.ts';

const STOP_TIMEOUT_MS = 20_000;
const CONNECT = 'npm start -- connect claude-code';
const SHOW = 'npm start -- token show';

/** The first steps in a new clone with an empty home: start, stop npm with a signal, show the token. */
export const npmStart: Check = {
  name: 'npm start',
  async run() {
    using home = temporaryFolder();
    const env = cleanEnvironment(home.path);
    const args = ['start', '--', '--port', '0'];
    await using npm = startProgram({ command: 'npm', args, env });
    const [text = ''] = await npm.printed(/serves MCP at [^]*token show/);
    const { origin, hostname, port } = new URL(/serves MCP at (\S+)/.exec(text)?.[1] ?? '');
    const { status } = await fetch(`${origin}/healthz`);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const closed = once(socket, 'close', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
    npm.child.kill('SIGTERM');
    const [end] = await Promise.allSettled([closed]);
    const token = (await readFile(join(home.path, 'data/deskside/token'), 'utf8')).trim();
    const shown = await command('npm', ['start', '--silent', '--', 'token', 'show'], { env });
    return [
      resultOf('npm start serves until SIGTERM', [
        ...(status === 200 ? [] : [`/healthz answers ${status}`]),
        ...(end.status === 'fulfilled' ? [] : ['the server still runs after SIGTERM to npm']),
      ]),
      resultOf('npm start names the commands that connect a client and print the token in a clone', [
        ...[CONNECT, SHOW].filter((part) => !text.includes(part)).map((part) => `does not name ${part}`),
        ...(text.includes(token) ? ['prints the token itself'] : []),
      ]),
      resultOf('npm start -- token show', shown.stdout === token ? [] : [shown.all]),
    ];
  },
};
