import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, BenchmarkReport, Ratio } from './benchmark.ts';
import { openScreen } from './popup-screen.ts';
import { bare, keptBrowser, noDisplay, ours, type Show, tkinter, zenity } from './popup-subjects.ts';
import { median, minimum, shuffled } from './statistics.ts';

const ROUNDS = 20;

const NAMES = {
  oursCold: 'popup, new profile',
  bareCold: 'bare `chromium --app`, new profile',
  oursWarm: 'popup, used profile',
  bareWarm: 'bare `chromium --app`, used profile',
  prewarmed: 'popup, browser kept from the one before (`--prewarm`)',
  noDisplay: 'no display, to the answer that says so',
  zenity: 'zenity',
  tkinter: 'tkinter',
} as const;
type Name = keyof typeof NAMES;

/** Needs Debian's chromium, xvfb, openbox, x11-utils, zenity and python3-tk. */
export const popup: Benchmark = {
  name: 'popup',
  title: 'A popup on the screen',
  async run() {
    const screen = await openScreen();
    process.env['DISPLAY'] = screen.display;
    const kept = newHome();
    await using prewarmed = keptBrowser(screen, newHome());
    const subjects: Record<Name, () => Promise<number>> = {
      oursCold: () => inNewHome(ours),
      bareCold: () => inNewHome(bare),
      oursWarm: () => ours(kept),
      bareWarm: () => bare(kept),
      prewarmed: () => prewarmed.show(),
      noDisplay: () => noDisplay(kept),
      zenity: () => zenity(screen)(kept),
      tkinter: () => tkinter(screen)(kept),
    };
    const names = Object.keys(NAMES) as Name[];
    const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
    try {
      // Once each before it counts, ours first: the bare browser takes its flags.
      await subjects.oursWarm();
      // The first one has no browser kept for it.
      await subjects.prewarmed();
      for (const name of names) await subjects[name]();
      for (let round = 0; round < ROUNDS; round++) {
        for (const name of shuffled(names)) times[name].push(await subjects[name]());
      }
    } finally {
      rmSync(kept, { recursive: true, force: true });
      await screen[Symbol.asyncDispose]();
    }
    return report(times);
  },
};

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

function report(times: Readonly<Record<Name, readonly number[]>>): BenchmarkReport {
  const ratio = (one: Name, other: Name, atMost?: number): Ratio => ({
    title: `${NAMES[one]} to ${NAMES[other]}, median`,
    value: median(times[one]) / median(times[other]),
    ...(atMost === undefined ? {} : { target: { atMost } }),
  });
  return {
    compared:
      'The popup of notify-popup, from the call to the painted page with the keyboard in its text box, against the least that a ' +
      'browser window can be: the same browser with the same flags on an empty page of a loopback server. zenity and tkinter, ' +
      'which have no page, are measured to their window.',
    method:
      `Each is shown ${ROUNDS} times after a warm-up, in rounds of random order, on one Xvfb screen with openbox. The popup's time ` +
      'holds the display check, the turn, the history, the loopback server and the page; painted is the second animation frame.',
    tables: [
      {
        columns: ['Window', 'Median, ms', 'Minimum, ms'],
        rows: (Object.keys(NAMES) as Name[]).map((name) => [
          NAMES[name],
          Math.round(median(times[name])),
          Math.round(minimum(times[name])),
        ]),
      },
    ],
    ratios: [
      ratio('oursCold', 'bareCold', 1.3),
      ratio('oursWarm', 'bareWarm', 1.3),
      ratio('prewarmed', 'oursWarm', 0.5),
      { title: 'no display, to 500 ms', value: median(times.noDisplay) / 500, target: { atMost: 1 } },
      ratio('oursWarm', 'zenity'),
      ratio('oursWarm', 'tkinter'),
    ],
    caveats: [
      'Neither zenity nor tkinter tells Cancel, Escape, the close button and an empty answer apart as the popup does.',
    ],
  };
}
