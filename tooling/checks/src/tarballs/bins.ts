import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type CheckResult, command, resultOf } from '../check.ts';
import { isShortName, published, type WorkspacePackage } from '../workspace.ts';
import type { Runtime, Runtimes } from './install.ts';

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the installed bin in an empty home: the handshake through `npx`, as a host does. */
export async function checkBin(
  label: (aspect: string) => string,
  bin: string,
  { name, manifest, ...own }: WorkspacePackage,
  runtimes: Runtimes,
  folder: string,
): Promise<CheckResult[]> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });

  async function run(
    aspect: string,
    runtime: Runtime,
    args: readonly string[],
    faults: (ended: Ended) => string[],
    { input = '', wanted = 0 } = {},
  ): Promise<CheckResult> {
    const start = aspect === 'handshake' ? ['npx', '--no-install', bin] : [join('node_modules/.bin', bin)];
    const [program = '', ...first] = start;
    const ended = await command(program, [...first, ...args], {
      cwd: folder,
      env: {
        // `deskside stdio` must find its desk, also on a busy machine: the check stops it at the end.
        DESKSIDE_ATTACH_TIMEOUT: '60',
        HOME: home,
        npm_config_loglevel: 'error',
        npm_config_offline: 'true',
        PATH: [runtime.folder, process.env['PATH']].join(delimiter),
        XDG_CONFIG_HOME: undefined,
        XDG_DATA_HOME: undefined,
        XDG_STATE_HOME: undefined,
      },
      preferLocal: false,
      stdin: 'pipe',
      input,
      timeout: 60_000,
    });
    const { exitCode, all } = ended;
    const found = faults(ended);
    if (exitCode !== wanted) found.unshift(`exits with ${exitCode} instead of ${wanted}`);
    const title = label(`${start.join(' ')} ${aspect} on ${runtime.label}`);
    return resultOf(title, found.length > 0 ? [...found, all] : []);
  }

  const starts = published.find((other) => other.name in (manifest.dependencies ?? {}));
  const server = isShortName({ name }) ? starts?.server : own.server;
  const args = server?.packages[0]?.packageArguments?.map(({ value }) => value) ?? [];
  const { version = '' } = manifest;
  const results: CheckResult[] = [];
  for (const runtime of runtimes.supported) {
    results.push(
      await run('--version', runtime, ['--version'], ({ stdout }) =>
        stdout.includes(version) ? [] : [`does not print ${version}`],
      ),
      await run('handshake', runtime, args, handshakeFaults, { input: handshake + (CALLS[bin] ?? '') }),
    );
    // `deskside stdio` leaves a desk, which would outlive the checks.
    if (args.includes('stdio')) results.push(await run('stop', runtime, ['stop'], () => []));
  }
  results.push(
    await run('refuses', runtimes.tooOld, ['--version'], refusalFaults, { wanted: 1 }),
    await run('refuses a host', runtimes.tooOld, args, refusalFaults, { input: handshake, wanted: 1 }),
  );
  return results;
}

function refusalFaults({ stdout, stderr }: Ended): string[] {
  if (/^.*22\.18.*$/.test(stderr) && stdout === '') return [];
  return ['does not print one line that requires Node 22.18'];
}

const clientInfo = { name: 'deskside-checks', version: '0.0.0' };
const messages = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
];

/** The first messages of a host. */
export const handshake: string = messages.map(lineOf).join('');

/** A call after it that writes to the desk database, which every Node.js brings in its own version. */
const CALLS: Readonly<Record<string, string>> = {
  'deskside-log-notify': lineOf({
    id: 3,
    method: 'tools/call',
    params: { name: 'notify', arguments: { message: 'Checked' } },
  }),
};

function lineOf(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
}

interface Answer {
  readonly jsonrpc?: string;
  readonly id?: number;
  readonly result?: { readonly tools?: readonly unknown[] };
}

/** Every line on stdout must be JSON-RPC, tools/list must return tools, and no error is logged. */
function handshakeFaults({ stdout, stderr }: Ended): string[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const answers = lines.map(parse);
  const strays = lines.filter((_line, index) => answers[index]?.jsonrpc !== '2.0');
  const tools = answers.find((answer) => answer?.id === 2)?.result?.tools ?? [];
  return [
    ...strays.map((line) => `not JSON-RPC: ${line}`),
    ...(tools.length > 0 ? [] : ['lists no tools']),
    ...(stderr.includes('"level":"error"') ? ['logs an error'] : []),
  ];
}

function parse(line: string): Answer | undefined {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return undefined;
  }
}
