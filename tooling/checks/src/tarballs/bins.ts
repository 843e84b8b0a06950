import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type CheckResult, command, resultOf } from '../check.ts';
import { isShortName, published, type WorkspacePackage } from '../workspace.ts';
import type { Runtime, Runtimes } from './install.ts';

/** Runs the installed bin in an empty home: the handshake through `npx`, as a host does. */
export async function checkBin(
  label: (aspect: string) => string,
  bin: string,
  product: WorkspacePackage,
  runtimes: Runtimes,
  folder: string,
): Promise<CheckResult[]> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });

  async function run({ aspect, args, input = '', faults }: Trial, runtime: Runtime): Promise<CheckResult> {
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
    const found = faults(ended);
    const output = found.length > 0 ? [ended.all] : [];
    return resultOf(label(`${start.join(' ')} ${aspect} on ${runtime.label}`), [...found, ...output]);
  }

  const results: CheckResult[] = [];
  for (const runtime of runtimes.supported) {
    for (const trial of trialsOf(product)) results.push(await run(trial, runtime));
  }
  results.push(await run(refusal, runtimes.tooOld));
  return results;
}

interface Trial {
  readonly aspect: string;
  readonly args: readonly string[];
  readonly input?: string;
  faults(ended: Ended): string[];
}

interface Ended {
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a bin must do on every supported Node. */
function trialsOf({ name, manifest, ...own }: WorkspacePackage): Trial[] {
  const starts = published.find(({ name: other }) => other in (manifest.dependencies ?? {}));
  const server = isShortName({ name }) ? starts?.server : own.server;
  const [entry] = server?.packages ?? [];
  const args = entry?.packageArguments?.map(({ value }) => value) ?? [];
  return [
    {
      aspect: '--version',
      args: ['--version'],
      faults: ({ exitCode, stdout }) => [
        ...exits(0, exitCode),
        ...(stdout.includes(manifest.version ?? '') ? [] : [`does not print ${manifest.version}`]),
      ],
    },
    {
      aspect: 'handshake',
      args,
      input: handshake,
      faults: ({ exitCode, stdout }) => [...exits(0, exitCode), ...handshakeFaults(stdout)],
    },
    // `deskside stdio` leaves a desk, which would outlive the checks.
    ...(args.includes('stdio')
      ? [{ aspect: 'stop', args: ['stop'], faults: ({ exitCode }: Ended) => exits(0, exitCode) }]
      : []),
  ];
}

/** What a bin must do on a Node that is too old. */
const refusal: Trial = {
  aspect: 'refuses',
  args: ['--version'],
  faults: ({ exitCode, stdout, stderr }) => [
    ...exits(1, exitCode),
    ...(/^.*22\.18.*$/.test(stderr) && stdout === ''
      ? []
      : ['does not print one line that requires Node 22.18']),
  ],
};

function exits(wanted: number, exitCode: number | undefined): string[] {
  return exitCode === wanted ? [] : [`exits with ${exitCode} instead of ${wanted}`];
}

const clientInfo = { name: 'deskside-checks', version: '0.0.0' };
const messages = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
];

/** The first messages of a host. */
export const handshake: string = messages
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

interface Answer {
  readonly jsonrpc?: string;
  readonly id?: number;
  readonly result?: { readonly tools?: readonly unknown[] };
}

/** Every line on stdout must be JSON-RPC, and tools/list must return tools. */
function handshakeFaults(stdout: string): string[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const answers = lines.map(parse);
  const strays = lines.filter((_line, index) => answers[index]?.jsonrpc !== '2.0');
  const tools = answers.find((answer) => answer?.id === 2)?.result?.tools ?? [];
  return [...strays.map((line) => `not JSON-RPC: ${line}`), ...(tools.length > 0 ? [] : ['lists no tools'])];
}

function parse(line: string): Answer | undefined {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return undefined;
  }
}
