import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolder } from '@deskside/core/testing';
import {
  cleanEnvironment,
  connectHttp,
  connectStdio,
  firstText,
  freePort,
  type Peer,
  startProgram,
} from '@deskside/testkit';
import { cpuTime } from './process.ts';
import { type Costs, inTurns } from './statistics.ts';

export const TOKEN = 'a-token-of-the-benchmark';
const RETRY_MS = 100;

/** A program that serves the same tool as all others of a benchmark. */
export interface Subject {
  readonly name: string;
  readonly over: 'stdio' | 'http';
  readonly era: 'legacy' | 'modern';
  readonly tool: string;
  /** @param port on which it serves over HTTP, with or without `TOKEN` */
  command(port: number, env: Readonly<Record<string, string>>): Promise<readonly string[]>;
}

export interface Load {
  readonly arguments: Record<string, unknown>;
  readonly answer: string;
  /** Over HTTP; over stdio there is one. Each sends its next call when it has the answer to the last. */
  readonly clients: number;
  readonly warmUp: number;
  readonly calls: number;
  /** Of each process. */
  readonly rounds: number;
}

/** Each program is started so often: what V8 compiles differs between two processes of one program. */
const PROCESSES = 3;

interface Running extends AsyncDisposable {
  readonly subject: Subject;
  readonly pid: number;
  readonly peers: readonly Peer[];
}

/** CPU milliseconds per call of each program and all that it started. */
export async function costOfCalls(subjects: readonly Subject[], load: Load): Promise<Costs> {
  const costs = new Map(subjects.map((subject) => [subject, [] as number[]]));
  for (let count = 0; count < PROCESSES; count += 1) {
    await using programs = new AsyncDisposableStack();
    const running: Running[] = [];
    for (const subject of subjects) {
      const program = programs.use(await run(subject, load.clients));
      await send(program, load, load.warmUp);
      running.push(program);
    }
    const own = await inTurns(load.rounds, running, async (program) => {
      const before = cpuTime(program.pid);
      await send(program, load, load.calls);
      return (cpuTime(program.pid) - before) / load.calls;
    });
    for (const [{ subject }, each] of own) costs.get(subject)?.push(...each);
  }
  return costs;
}

async function send({ subject, peers }: Running, { answer, ...load }: Load, count: number): Promise<void> {
  let left = count;
  const work = peers.map(async (peer) => {
    while (left > 0) {
      left -= 1;
      const text = firstText(await peer.callTool(subject.tool, load.arguments));
      if (text !== answer) throw new Error(`${subject.name} answers differently: ${text}`);
    }
  });
  await Promise.all(work);
}

async function run(subject: Subject, clients: number): Promise<Running> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(temporaryFolder());
  const env = { ...cleanEnvironment(home.path), DESKSIDE_TOKEN: TOKEN };
  const port = await freePort();
  const [command = '', ...args] = await subject.command(port, env);
  const { era } = subject;
  const peers: Peer[] = [];
  let pid: number | undefined;
  if (subject.over === 'stdio') {
    const peer = opened.use(await connectStdio({ command, args, env }, { era }));
    ({ pid } = peer.client.transport as unknown as { readonly pid: number });
    peers.push(peer);
  } else {
    const { child } = opened.use(startProgram({ command, args, env }));
    ({ pid } = child);
    while (peers.length < clients) {
      try {
        peers.push(await connectHttp(`http://127.0.0.1:${port}/mcp`, { era, token: TOKEN }));
      } catch (error) {
        if (child.exitCode !== null) throw error;
        await delay(RETRY_MS);
      }
    }
  }
  const all = opened.move();
  return { subject, pid: pid ?? 0, peers, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
