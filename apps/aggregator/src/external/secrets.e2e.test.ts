import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Command } from '@deskside/core/program';
import { cleanEnvironment, connectHttp, firstText, listen, startProgram } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { apply } from '../commands/apply.ts';
import { data } from '../commands/data.ts';
import { doctor } from '../commands/doctor.ts';
import { list } from '../commands/list.ts';
import { log } from '../commands/log.ts';
import { status } from '../commands/status.ts';
import { runCommand, SELF } from '../testing/commands.ts';
import { deskHome } from '../testing/desk-home.ts';
import { filesBelow } from '../testing/files-below.ts';
import { userHome } from '../testing/user-home.ts';
import { fakeServer } from '@deskside/gateway/testing/fake';

/** Each way to give a secret. */
const SECRETS = {
  ENV: 'reference-in-env-Zm9v/+=&"1',
  FILE: 'reference to a file-YmFy/+=&2',
  LITERAL: 'literal-in-env-cXV4/+=&3',
  ARGUMENT: 'literal-in-args-4d5e',
  QUERY: 'literal-in-query-5f6a',
  HEADER: 'literal-in-header-7d8e',
  HEADER_ENV: 'reference-in-header-8f9a',
} as const;

/** Repeats everything that it was given, then ends or speaks the protocol. Its lines on stdout are not messages. */
const LOUD = `
env >&2
echo "$*" >&2
env
printf '%s\\n' "$*" "$TOKEN" "$LITERAL" "{ $TOKEN"
[ "$(cat "$STATE")" = up ] || exit 1
exec "$0" "$1" good
`;

/** A server that answers while it is up. Then it repeats each request in an error. */
async function address(isUp: () => boolean): Promise<string> {
  const server = await listen((request, response) => void answer(request, response, isUp()));
  onTestFinished(() => server[Symbol.asyncDispose]());
  return `${server.origin}/mcp`;
}

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'remote', version: '1' },
  },
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
};

async function answer(request: IncomingMessage, response: ServerResponse, isUp: boolean): Promise<void> {
  const { url = '', headers, method: verb } = request;
  if (!isUp) {
    response.writeHead(Number(/status=(\d+)/.exec(url)?.[1] ?? 404));
    response.end(JSON.stringify({ url, headers }));
    return;
  }
  const message = verb === 'POST' ? ((await json(request)) as { id?: number; method: string }) : undefined;
  if (message?.id === undefined) {
    response.writeHead(message === undefined ? 405 : 202).end();
    return;
  }
  const result = RESULTS[message.method];
  const outcome =
    result === undefined ? { error: { code: -32_601, message: 'Method not found' } } : { result };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...outcome }));
}

/** The configuration as the person wrote it. A value that is not a reference is part of it. */
const isConfiguration = (file: string) => /config\/deskside\/|accepted\/[0-9a-f]+\.toml$/.test(file);

test('no secret of a server is in what the desk logs, prints, answers or writes, whether the server runs, fails or crashes', async () => {
  const desk = deskHome();
  userHome(desk.home);
  const env = { ...SECRETS, DESKSIDE_TOKEN: 'a-token-of-this-test-that-is-long-enough' };
  const [config, up, later] = [
    join(desk.home, 'config/deskside'),
    join(desk.home, 'up'),
    join(desk.home, 'later'),
  ];
  const file = join(config, 'deskside.toml');
  let isUp = true;
  const url = await address(() => isUp);
  const { command: node, args: [program] = [] } = fakeServer();
  const local = (id: string, state: string) => `
[mcpServers.${id}]
command = "sh"
args = ["-c", ". ${join(desk.home, 'loud.sh')}", "${node}", "${program}", "--api-key", "${SECRETS.ARGUMENT}"]
env = { TOKEN = "\${env:ENV}", SECRET = "\${file:secret}", LITERAL = "${SECRETS.LITERAL}", STATE = "${state}" }
`;
  const remote = (id: string, status: number) => `
[mcpServers.${id}]
url = "${url}?status=${status}&key=${SECRETS.QUERY}&file=\${file:secret}"
headers = { Key = "Basic ${SECRETS.HEADER}", Authorization = "Bearer \${env:HEADER_ENV}" }
`;
  mkdirSync(config, { recursive: true });
  for (const state of [up, later]) writeFileSync(state, 'up');
  writeFileSync(join(desk.home, 'loud.sh'), LOUD);
  writeFileSync(join(config, 'secret'), SECRETS.FILE, { mode: 0o600 });
  writeFileSync(file, local('running', up) + local('crashing', up) + local('failing', later));
  writeFileSync(file, remote('refusing', 500) + remote('login', 401) + remote('html', 200), { flag: 'a' });

  const shown = new Map<string, string>();
  const run = async (command: Command, ...flags: readonly string[]) => {
    const given = Object.fromEntries(flags.map((flag) => [flag, true]));
    const { stdout, stderr } = await runCommand(command, {
      flags: given,
      env: { ...cleanEnvironment(desk.home), ...env },
    });
    shown.set(`${command.examples[0]} (${shown.size})`, stdout + stderr);
  };
  await run(apply, 'dry-run');
  await run(apply, 'yes');
  writeFileSync(later, 'down');
  isUp = false;

  await using http = startProgram(desk.command(['http', '--port', '0', '--log-level', 'debug'], env));
  const [, endpoint = ''] = await http.printed(/(http:\/\/127\.0\.0\.1:\d+\/mcp)/);
  await using peer = await connectHttp(endpoint, { era: 'legacy', token: env.DESKSIDE_TOKEN });
  const calls = [
    'running_echo',
    'crashing_crash',
    'failing_echo',
    'refusing_echo',
    'login_echo',
    'html_echo',
  ];
  for (const name of calls) shown.set(name, firstText(await peer.callTool(name)));
  await run(list(SELF));
  await run(status(SELF));
  await run(status(SELF), 'json');
  await run(log, 'calls');
  await run(log, 'calls', 'json');
  await run(doctor(SELF));
  await run(data(SELF));
  await run(apply, 'dry-run');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('[mcpServers.', '[mcpServers.other'));
  await run(apply, 'yes');
  shown.set('the log', http.stdout() + http.stderr());
  for (const each of filesBelow(desk.home)) {
    if (!isConfiguration(each)) shown.set(each, readFileSync(each, 'latin1'));
  }
  expect(shown.get('the log')).toContain('<hidden>');
  const leaks = [...shown].flatMap(([where, text]) =>
    Object.entries(SECRETS)
      .filter(([, secret]) =>
        [secret, secret.slice(0, 14), encodeURI(secret)].some((form) => text.includes(form)),
      )
      .map(([kind]) => `${kind} in ${where}`),
  );
  expect(leaks).toStrictEqual([]);
});
