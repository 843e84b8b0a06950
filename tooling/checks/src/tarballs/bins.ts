import { mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cleanEnvironment, type Command, connectStdio } from '@deskside/testkit';
import { type CheckResult, command, commandResult, resultOf } from '../check.ts';
import { isShortName, published, type WorkspacePackage } from '../workspace.ts';
import type { Runtime, Runtimes } from './install.ts';

/** Runs the installed bin in an empty home, as a host does. */
export async function checkBin(
  bin: string,
  { name, manifest, ...own }: WorkspacePackage,
  { supported, tooOld }: Runtimes,
  folder: string,
): Promise<CheckResult[]> {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const program = join(folder, 'node_modules/.bin', bin);
  const envOn = (runtime: Runtime) => ({
    ...cleanEnvironment(home),
    // `deskside stdio` must find its desk, also on a busy machine: the check stops it at the end.
    DESKSIDE_ATTACH_TIMEOUT: '60',
    PATH: [runtime.folder, process.env['PATH']].join(delimiter),
  });
  const run = (runtime: Runtime, args: readonly string[]) =>
    command(program, args, { env: envOn(runtime), preferLocal: false, timeout: 60_000 });

  const starts = published.find((other) => other.name in (manifest.dependencies ?? {}));
  const server = isShortName({ name }) ? starts?.server : own.server;
  const args = server?.packages[0]?.packageArguments?.map(({ value }) => value) ?? [];
  const results: CheckResult[] = [];
  for (const runtime of supported) {
    const logged = join(folder, `${bin}-${runtime.label}.log`);
    const words = ['-c', 'exec "$@" 2> "$0"', logged, program, ...args];
    const host = { command: 'sh', args: words, env: envOn(runtime) };
    const faults = [...(await hostFaults(host, bin, manifest.version))];
    const log = readFileSync(logged, 'utf8');
    if (log.includes('"level":"error"')) faults.push('logs an error', log);
    results.push(resultOf(`${bin} answers a host on ${runtime.label}`, faults));
    // `deskside stdio` leaves a desk, which would outlive the checks.
    if (args.includes('stdio'))
      results.push(await commandResult(`${bin} stop on ${runtime.label}`, run(runtime, ['stop'])));
  }
  const { exitCode, stdout, stderr, all } = await run(tooOld, args);
  const isRefused = exitCode === 1 && stdout === '' && /^.*22\.18.*$/.test(stderr);
  const faults = isRefused
    ? []
    : [`exits with ${exitCode} and more than a line that requires Node 22.18`, all];
  return [...results, resultOf(`${bin} refuses ${tooOld.label}`, faults)];
}

/**
 * It has the version of the package, lists tools, and writes only messages to stdout. One writes to the desk database, which
 * every Node.js brings in its own version: a failure there is only logged.
 */
async function hostFaults(program: Command, bin: string, version?: string): Promise<readonly string[]> {
  const strays: string[] = [];
  try {
    await using peer = await connectStdio(program, { era: 'legacy' });
    peer.client.onerror = (error) => strays.push(String(error));
    const started = peer.client.getServerVersion()?.version;
    const tools = await peer.listTools();
    const called =
      bin === 'deskside-log-notify' ? await peer.callTool('notify', { message: 'Checked' }) : undefined;
    return [
      ...(started === version ? [] : [`is version ${started} instead of ${version}`]),
      ...(tools.length > 0 ? [] : ['lists no tools']),
      ...(called?.isError === true ? [`answers ${JSON.stringify(called.content)}`] : []),
      ...strays,
    ];
  } catch (error) {
    return [String(error)];
  }
}
