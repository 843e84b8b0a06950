import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { openPopup } from '@deskside/notify-popup';
import { openDesktop } from '@deskside/notify-popup/testing/desktop';
import { browserCommands } from '@deskside/notify-popup/testing/session';
import { listen } from '@deskside/testkit';
import type { Benchmark } from './benchmark.ts';
import { inTurns, median, ratio, spreads } from './statistics.ts';

const ROUNDS = 20;
const QUESTION = { kind: 'question', title: 'Benchmark', caller: 'Benchmark' } as const;

/** Shows one window in a home folder and closes it. Returns the milliseconds until a person can read it. */
type Show = (home: string) => Promise<number>;

/** Needs Debian's chromium, xvfb, openbox and xdotool. */
export const popup: Benchmark = {
  name: 'popup',
  title: 'Popup on the screen',
  method: `From the question to the second animation frame, beside the same browser on an empty page. Each is shown ${ROUNDS} times after a warm-up, in random order, on Xvfb with openbox.`,
  misses: {
    'popup, new profile to bare `chromium --app`, new profile, median':
      'the time includes the start of its server, and its page is not empty',
    'popup, used profile to bare `chromium --app`, used profile, median':
      'the time includes the start of its server, and its page is not empty',
  },
  async run() {
    using screen = temporaryFolder();
    await using desktop = await openDesktop(screen.path);
    Object.assign(process.env, desktop.env);
    using used = temporaryFolder();
    const oursCold = { name: 'popup, new profile', show: () => inNewHome(ours) };
    const bareCold = { name: 'bare `chromium --app`, new profile', show: () => inNewHome(bare) };
    const oursWarm = { name: 'popup, used profile', show: () => ours(used.path) };
    const bareWarm = { name: 'bare `chromium --app`, used profile', show: () => bare(used.path) };
    // Warm-up. Ours comes first: the bare browser gets the same flags.
    const subjects = [oursWarm, bareWarm, oursCold, bareCold];
    for (const { show } of subjects) await show();
    const costs = await inTurns(ROUNDS, subjects, ({ show }) => show());
    return {
      numbers: spreads(costs, 'ms'),
      ratios: [
        ratio(costs, [oursCold, bareCold], 'median', 1.25, median),
        ratio(costs, [oursWarm, bareWarm], 'median', 1.25, median),
      ],
    };
  },
};

/** Measures a question, up to the second frame of its page. */
const ours: Show = async (home) => {
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
    { ...QUESTION, message: 'Shall I continue?', theme: 'light', showsHistory: true, chimes: false },
    { session: 'benchmark', signal: stop.signal, log },
  );
  await Promise.race([shown.promise, outcome]);
  const took = performance.now() - startedAt;
  flags ??= browserFlags(home);
  stop.abort();
  const { kind } = await outcome;
  if (kind !== 'abandoned') throw new Error(`no popup: ${kind}`);
  return took;
};

/** The flags of our browser without its page and profile. */
let flags: readonly string[] | undefined;

function browserFlags(home: string): readonly string[] | undefined {
  const command = browserCommands(home).find((each) => each.includes('\0--app='));
  const [, ...args] = command?.split('\0') ?? [];
  if (command === undefined) return undefined;
  return args.filter((word) => word !== '' && !/^--(?:app|user-data-dir)=/.test(word));
}

const emptyPage = `<!doctype html><title>bare</title><textarea autofocus></textarea><script>
requestAnimationFrame(() => requestAnimationFrame(() => fetch('/ready', { method: 'POST' })))</script>`;

/** `chromium --app` with the flags of ours, from its start to the second frame of an empty page. */
const bare: Show = async (home) => {
  if (flags === undefined) throw new Error('the popup has no browser');
  const ready = Promise.withResolvers<void>();
  await using server = await listen((request, response) => {
    response.setHeader('content-type', 'text/html').end(request.method === 'GET' ? emptyPage : '');
    if (request.method === 'POST') ready.resolve();
  });
  const startedAt = performance.now();
  const profile = `--user-data-dir=${join(home, 'bare')}`;
  const args = [...flags, profile, `--app=${server.origin}/`];
  const browser = spawn('chromium', args, { detached: true, stdio: 'ignore' });
  await ready.promise;
  const took = performance.now() - startedAt;
  process.kill(-(browser.pid ?? 0), 'SIGKILL');
  await once(browser, 'exit');
  return took;
};

async function inNewHome(show: Show): Promise<number> {
  using home = temporaryFolder();
  return await show(home.path);
}
