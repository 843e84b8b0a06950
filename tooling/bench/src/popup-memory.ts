import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, BenchmarkReport } from './benchmark.ts';
import { kill, newHome, openScreen } from './popup.ts';
import { median } from './statistics.ts';

const ROUNDS = 3;
const PROGRAM = resolve(import.meta.dirname, '../../../packages/notify-popup/dist/bin/cli.js');
const PRESENTERS = ['chromium', 'webkit-gjs', 'firefox'] as const;
/** Memory counts as steady if it changes less than this part in a second. */
const STEADY = 0.01;
const MAX_SECONDS = 30;

interface Memory {
  /** Proportional set size in MB. */
  readonly server: number;
  readonly window: number;
}

/** Needs Debian's chromium, firefox-esr, gjs, gir1.2-webkit2-4.1, xvfb and openbox. */
export const popupMemory: Benchmark = {
  name: 'popup-memory',
  title: 'Memory while a question waits',
  async run() {
    await using screen = await openScreen();
    const rows: [string, number, number][] = [];
    for (const presenter of PRESENTERS) {
      const rounds: Memory[] = [];
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(presenter, screen.display));
      const [server, window] = (['server', 'window'] as const).map((part) =>
        median(rounds.map((memory) => memory[part])),
      );
      rows.push([presenter, Math.round(server ?? 0), Math.round(window ?? 0)]);
    }
    return report(rows);
  },
};

async function measure(presenter: string, display: string): Promise<Memory> {
  const home = newHome();
  const args = [PROGRAM, 'ask', 'Shall I continue?', '--presenter', presenter];
  const env = { HOME: home, PATH: process.env['PATH'] ?? '', DISPLAY: display };
  const server = spawn(process.execPath, args, { env, stdio: 'ignore' });
  try {
    return await steadyMemory(server.pid ?? -1);
  } finally {
    const window = processesBelow(server.pid ?? -1);
    await kill(server);
    for (const pid of window) killIfRunning(pid);
    rmSync(home, { recursive: true, force: true });
  }
}

/** The memory of a server and its window, when the window is open and its memory no longer changes. */
async function steadyMemory(server: number): Promise<Memory> {
  let before = 0;
  for (let second = 0; second < MAX_SECONDS; second += 1) {
    await delay(1000);
    const window = processesBelow(server).reduce((sum, pid) => sum + proportionalMemory(pid), 0);
    if (window > 0 && Math.abs(window - before) < STEADY * window) {
      return { server: proportionalMemory(server), window };
    }
    before = window;
  }
  throw new Error(`the memory did not become steady within ${MAX_SECONDS} s`);
}

/** All processes below this one. A browser overwrites the environment of its processes, but not their parents. */
function processesBelow(ancestor: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const [, parent] = /^PPid:\s+(\d+)$/m.exec(read(join('/proc', name, 'status'))) ?? [];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === ancestor || isBelow(parents.get(pid)));
  return [...parents.keys()].filter(isBelow);
}

/** MB; 0 if the process has ended. */
function proportionalMemory(pid: number): number {
  const [, kilobytes = '0'] = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`)) ?? [];
  return Number(kilobytes) / 1024;
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function report(rows: readonly (readonly [string, number, number])[]): BenchmarkReport {
  const [chromium, gtk] = rows.map(([, , window]) => window);
  return {
    compared:
      'The same page in the window of each presenter: Chromium in app mode, the first choice; WebKitGTK through gjs; Firefox.',
    method: `A question waits in a window on one Xvfb screen with openbox. PSS of the server and of all processes of the window, when it changes less than ${100 * STEADY} % in a second. Median of ${ROUNDS} rounds with a new profile.`,
    tables: [{ columns: ['Presenter', 'Server, PSS MB', 'Window, PSS MB'], rows }],
    ratios: [
      {
        title: 'window of webkit-gjs to window of chromium, PSS',
        value: (gtk ?? Number.NaN) / (chromium ?? Number.NaN),
      },
    ],
    caveats: ['On a virtual screen without a graphics card.'],
  };
}
