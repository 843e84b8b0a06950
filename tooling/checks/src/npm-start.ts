import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment, startProgram } from '@deskside/testkit';
import { type Check, command, resultOf } from './check.ts';
import { root } from './workspace.ts';

/** What is tried of a command in a clone with an empty home and without a display. */
interface Trial {
  /** What it prints. */
  readonly prints: RegExp;
  readonly input?: string;
  /** It runs until a signal ends it, on any free port. */
  readonly isServer?: boolean;
  /** Default: 0. */
  readonly code?: number;
}

const params = { name: 'list_departures', arguments: { stop: 'Harbor' } };
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
const PUBLISHED = 'Needs the published package: the check "tarballs" does the same with the packed one.';

/** Each command of README, in its order, and its trial, or why it is not tried. */
const COMMANDS: Readonly<Record<string, Trial | string>> = {
  'npm start -- --demo': {
    prints: / manictime +\S+ +\(17 tools\)\n[^]*npm start -- connect [^]*npm start -- token show/,
    isServer: true,
  },
  'npm run server -- todo --http': { prints: /serves MCP at/, isServer: true },
  'npm run example': { prints: /"totalAvailable":5/, input: `${JSON.stringify(CALL)}\n` },
  'npm test': 'Runs this check.',
  './deskside open': 'Opens the browser of a person: apps/page/src/page.e2e.test.ts.',
  // What it says without a display.
  './deskside ask "Tea or coffee?"': { prints: /^no-display: /, code: 8 },
  './deskside todo add Buy tea': { prints: /Buy tea/ },
  './deskside day --demo --date yesterday --out ~/day.html': { prints: /^Wrote .*day\.html: / },
  './deskside log': { prints: /question +.*not shown/ },
  './deskside connect': { prints: /\.\/deskside connect \w/ },
  './deskside --help': { prints: /^Commands:$/m },
  'npx -y @deskside/aggregator connect claude-code': PUBLISHED,
  'npx -y @deskside/todo --http': PUBLISHED,
  'npm install @deskside/core zod': PUBLISHED,
  // A machine without a display has this problem.
  './deskside doctor': { prints: /^Mount todo +ready, 10 tools$/m, code: 1 },
  './deskside data': { prints: /todo\.sqlite/ },
  './deskside connect claude-code --undo': 'Changes a client: apps/aggregator/src/commands/connect.test.ts.',
  './deskside stop': { prints: /^No desk is running\.$/ },
  './deskside data wipe': 'Asks in a terminal: apps/aggregator/src/commands/data.e2e.test.ts.',
};

const STOP_TIMEOUT_MS = 20_000;

/** The first steps in a new clone with an empty home: the commands of README, and the token. */
export const npmStart: Check = {
  name: 'npm start',
  async run() {
    using home = temporaryFolder();
    const env = cleanEnvironment(home.path);
    const page = readFileSync(join(root, 'README.md'), 'utf8');
    const lines = [...page.matchAll(/^```sh\n([^]*?)\n```/gm)].flatMap(([, block = '']) => block.split('\n'));
    const named = lines.map((line) => line.replace(/ +# .*/, ''));
    const isComplete = named.join('\n') === Object.keys(COMMANDS).join('\n');
    const results = [
      resultOf('commands of README', isComplete ? [] : ['Differ from COMMANDS here:', ...named]),
    ];
    for (const [line, trial] of Object.entries(COMMANDS)) {
      if (typeof trial !== 'string') results.push(resultOf(line, await faultsOf(line, trial, env)));
    }
    const token = readFileSync(join(home.path, 'data/deskside/token'), 'utf8').trim();
    const shown = await command('npm', ['start', '--silent', '--', 'token', 'show'], { env });
    results.push(resultOf('npm start -- token show', shown.stdout === token ? [] : [shown.all]));
    return results;
  },
};

async function faultsOf(
  line: string,
  { prints, input = '', code = 0, isServer = false }: Trial,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const [file = '', ...args] = words;
  if (!isServer) {
    const { exitCode, stdout, stderr } = await command(file, args, { env, input, stdin: 'pipe' });
    return [
      ...(exitCode === code ? [] : [`exits with ${exitCode} instead of ${code}`]),
      ...(prints.test(stdout) || prints.test(stderr) ? [] : [`does not print ${prints}`, stdout, stderr]),
    ];
  }
  await using npm = startProgram({ command: file, args: [...args, '--port', '0'], env });
  const [, address = ''] = await npm.printed(/serves MCP at (\S+)/);
  await npm.printed(prints);
  const { origin, hostname, port } = new URL(address);
  const { status } = await fetch(`${origin}/healthz`);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
  npm.child.kill('SIGTERM');
  const [end] = await Promise.allSettled([closed]);
  return [
    ...(status === 200 ? [] : [`/healthz answers ${status}`]),
    ...(end.status === 'fulfilled' ? [] : ['the server still runs after SIGTERM to npm']),
  ];
}
