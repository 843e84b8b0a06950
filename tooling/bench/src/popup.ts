import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPopup, type PopupOutcome } from '@deskside/notify-popup';
import type { Benchmark, Figures, Ratio } from './benchmark.ts';
import { inTurns, median, minimum } from './statistics.ts';

const ROUNDS = 20;

const NAMES = {
  oursCold: 'popup, new profile',
  bareCold: 'bare `chromium --app`, new profile',
  oursWarm: 'popup, used profile',
  bareWarm: 'bare `chromium --app`, used profile',
} as const;
type Name = keyof typeof NAMES;

/** Shows one window in a home folder and closes it. Returns the milliseconds until a person can read it. */
type Show = (home: string) => Promise<number>;

/** Needs Debian's chromium, xvfb and openbox. */
export const popup: Benchmark = {
  name: 'popup',
  title: 'Popup on the screen',
  meaning: 'How long a question takes to appear, beside the least that a browser window needs.',
  method: `The popup, from the question to the painted page (the second animation frame), and the same browser with the same flags on an empty page of a loopback server. Each is shown ${ROUNDS} times after a warm-up, in random order, on one Xvfb screen with openbox.`,
  async run() {
    await using screen = await openScreen();
    process.env['DISPLAY'] = screen.display;
    const used = newHome();
    const subjects: Record<Name, () => Promise<number>> = {
      oursCold: () => inNewHome(ours),
      bareCold: () => inNewHome(bare),
      oursWarm: () => ours(used),
      bareWarm: () => bare(used),
    };
    const names = Object.keys(NAMES) as Name[];
    try {
      // Warm-up. Ours comes first: the bare browser gets the same flags.
      await subjects.oursWarm();
      for (const name of names) await subjects[name]();
      return report(await inTurns(ROUNDS, names, (name) => subjects[name]()));
    } finally {
      rmSync(used, { recursive: true, force: true });
    }
  },
};

/** Measures a question, up to the second frame of its page. */
const ours: Show = async (home) => {
  const { took, outcome } = await timedQuestion(home);
  if (outcome !== 'abandoned') throw new Error(`no popup: ${outcome}`);
  return took;
};

async function timedQuestion(home: string): Promise<{ took: number; outcome: PopupOutcome['kind'] }> {
  process.env['HOME'] = home;
  await using opened = openPopup({ presenter: 'chromium' });
  const shown = Promise.withResolvers<void>();
  const stop = new AbortController();
  const log = {
    debug: (message: string) => void (message === 'popup shown' && shown.resolve()),
    info: () => undefined,
    warn: () => undefined,
  };
  const startedAt = performance.now();
  const outcome = opened.inbox.ask(
    {
      kind: 'question',
      message: 'Shall I continue?',
      title: 'Benchmark',
      caller: 'Benchmark',
      theme: 'light',
      showsHistory: true,
      chimes: false,
    },
    { session: 'benchmark', signal: stop.signal, log },
  );
  await Promise.race([shown.promise, outcome]);
  const took = performance.now() - startedAt;
  flags ??= browserFlags(home);
  stop.abort();
  return { took, outcome: (await outcome).kind };
}

/** The flags of our browser without its page and profile. */
let flags: readonly string[] | undefined;

function browserFlags(home: string): readonly string[] | undefined {
  const [, ...args] =
    globSync('/proc/[0-9]*/cmdline')
      .map(commandAt)
      .find((words) => words.some((word) => word.startsWith('--app=')) && words.join(' ').includes(home)) ??
    [];
  return args.length === 0
    ? undefined
    : args.filter((word) => word !== '' && !/^--(?:app|user-data-dir)=/.test(word));
}

function commandAt(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\0');
  } catch {
    return [];
  }
}

const emptyPage = `<!doctype html><title>bare</title><textarea autofocus></textarea><script>
requestAnimationFrame(() => requestAnimationFrame(() => fetch('/ready', { method: 'POST' })))</script>`;

/** `chromium --app` with the flags of ours, from its start to the second frame of an empty page. */
const bare: Show = async (home) => {
  if (flags === undefined) throw new Error('the popup has no browser');
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html').end(request.method === 'GET' ? emptyPage : '');
    if (request.method === 'POST') server.emit('ready');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ready = once(server, 'ready');
  const startedAt = performance.now();
  const profile = `--user-data-dir=${join(home, 'bare')}`;
  const args = [...flags, profile, `--app=http://127.0.0.1:${port}/`];
  const browser = spawn('chromium', args, { detached: true, stdio: 'ignore' });
  await ready;
  const took = performance.now() - startedAt;
  await kill(browser, true);
  server.close();
  server.closeAllConnections();
  return took;
};

/** A virtual screen with a window manager. */
async function openScreen(): Promise<AsyncDisposable & { readonly display: string }> {
  const options = ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp', '-noreset'];
  const xvfb = spawn('Xvfb', options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const [number] = await once(xvfb.stdio[3] ?? xvfb, 'data');
  const display = `:${String(number).trim()}`;
  const openbox = spawn('openbox', [], { env: { ...process.env, DISPLAY: display }, stdio: 'ignore' });
  return {
    display,
    async [Symbol.asyncDispose]() {
      for (const child of [openbox, xvfb]) await kill(child);
    },
  };
}

/** Kills a process, with its process group if it is the leader. */
async function kill(child: ChildProcess, isLeader = false): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  process.kill(isLeader ? -child.pid : child.pid, 'SIGKILL');
  await once(child, 'exit');
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'deskside-bench-'));
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  return home;
}

async function inNewHome(show: Show): Promise<number> {
  const home = newHome();
  try {
    return await show(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function report(costs: ReadonlyMap<Name, readonly number[]>): Figures {
  const times = (name: Name) => costs.get(name) ?? [];
  const ratio = (one: Name, other: Name): Ratio => ({
    title: `${NAMES[one]} to ${NAMES[other]}, median`,
    value: median(times(one)) / median(times(other)),
    target: { atMost: 1.2 },
  });
  return {
    tables: [
      {
        columns: ['Window', 'Median, ms', 'Minimum, ms'],
        rows: (Object.keys(NAMES) as Name[]).map((name) => [
          NAMES[name],
          Math.round(median(times(name))),
          Math.round(minimum(times(name))),
        ]),
      },
    ],
    ratios: [ratio('oursCold', 'bareCold'), ratio('oursWarm', 'bareWarm')],
  };
}
