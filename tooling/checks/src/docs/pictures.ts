// Takes the pictures of README and docs that show a terminal or the day view: `pnpm pictures`, or
// `node tooling/checks/src/docs/pictures.ts [--to FOLDER] [NAME…]`. They show the built programs. Needs Linux, the Debian
// packages of the tests on a screen, and xterm, faketime and iproute2.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '@deskside/core/testing';
import { missingPackages } from '@deskside/notify-popup/testing/desktop';
import { launch } from '@deskside/testkit/chromium';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execa } from 'execa';
import { root } from '../workspace.ts';
import { openTerminal } from './terminal.ts';

const { values, positionals } = parseArgs({
  options: { to: { type: 'string' } },
  allowPositionals: true,
});
const folder = values.to ?? join(root, 'docs/pictures');

const pictures: Readonly<Record<string, () => Promise<void>>> = {
  day: takeDay,
  doctor: takeDoctor,
  tail: takeTail,
  todo: takeTodo,
  icon: takeIcon,
};

const AGENTS = {
  claude: ['Claude Code', 'web-shop'],
  codex: ['Codex', 'billing'],
  cursor: ['Cursor', 'website'],
} as const;

/** Time, agent, level, context and message of each call. */
const NOTIFICATIONS = [
  ['16:18:37', 'claude', 'info', 'workflow', 'The tests are green. Starting the release of 2.1.0.'],
  [
    '16:19:02',
    'codex',
    'warn',
    'safety',
    'Database migration detected - recommend backing up data before proceeding',
  ],
  [
    '16:20:14',
    'cursor',
    'info',
    'analysis',
    'Completed analysis of 47 files, found 3 issues requiring attention:\n- login.ts line 145\n- card.ts line 9\n- sql.ts line 77',
  ],
  [
    '16:21:40',
    'codex',
    'error',
    'workflow',
    'The migration failed: column "old_total" does not exist. Nothing was changed.',
  ],
  ['16:22:05', 'claude', 'info', 'workflow', 'Version 2.1.0 is released.'],
] as const;

if (missingPackages.length > 0)
  throw new Error(`Install these packages first: ${missingPackages.join(', ')}`);
mkdirSync(folder, { recursive: true });
for (const [name, take] of Object.entries(pictures))
  if (positionals.length === 0 || positionals.includes(name)) await take();

async function takeTail(): Promise<void> {
  await using terminal = await openTerminal({ columns: 84, lines: 16 });
  await terminal.enter('deskside-log-notify tail', 'Waiting for');
  for (const [time, agent, level, context, message] of NOTIFICATIONS) {
    const [name, project] = AGENTS[agent];
    terminal.setTime(`2026-11-19 ${time}`);
    const client = new Client({ name, version: '1.0.0' });
    const env = { CLAUDE_PROJECT_DIR: join('/home/anna', project), ...terminal.env };
    await client.connect(new StdioClientTransport({ command: 'deskside-log-notify', env, stderr: 'ignore' }));
    await client.callTool({ name: 'notify', arguments: { level, context, message } });
    await terminal.shows(time);
    await client.close();
  }
  await terminal.takePicture(join(folder, 'log-notify-tail.png'));
}

async function takeDoctor(): Promise<void> {
  await using terminal = await openTerminal({ columns: 102, lines: 14 });
  await terminal.enter('deskside doctor', 'No problems found.');
  await terminal.prompt();
  await terminal.takePicture(join(folder, 'aggregator-doctor.png'));
}

async function takeTodo(): Promise<void> {
  await using terminal = await openTerminal({ columns: 84, lines: 12 });
  terminal.setTime('2026-11-19 16:18:37');
  await terminal.enter('deskside-todo add Buy groceries --due 2026-11-30', 'Added task 1');
  await terminal.enter('deskside-todo add Write the release notes', 'Added task 2');
  await terminal.enter('deskside-todo add Ask Maria about the front page --due 2026-11-20', 'Added task 3');
  await terminal.enter('deskside-todo done 2', 'Completed task 2');
  await terminal.enter('deskside-todo list', '1  [ ]');
  await terminal.prompt();
  await terminal.takePicture(join(folder, 'todo-list.png'));
}

/** The directory of plugins accepts no SVG. */
async function takeIcon(): Promise<void> {
  const browser = await launch();
  const tab = await browser.newPage({ viewport: { width: 32, height: 32 }, deviceScaleFactor: 16 });
  await tab.goto(pathToFileURL(join(root, 'packages/notify-popup/src/page/assets/icon.svg')).href);
  const path = join(values.to ?? join(root, 'plugins/deskside/.claude-plugin'), 'icon.png');
  await tab.screenshot({ path, omitBackground: true });
  await browser.close();
}

/** The page of `report` in both color schemes: whole, and the upper part of a narrow window. */
async function takeDay(): Promise<void> {
  using temporary = temporaryFolder();
  const page = join(temporary.path, 'day.html');
  const program = join(root, 'packages/manictime/dist/bin/cli.js');
  // Demo data ends yesterday.
  const report = ['report', '--demo', '--date', 'yesterday', '--out', page];
  await execa('faketime', ['2026-11-20 12:00:00', process.execPath, program, ...report], {
    env: { TZ: 'UTC' },
  });
  const browser = await launch();
  for (const colorScheme of ['light', 'dark'] as const) {
    const tab = await browser.newPage({ colorScheme, deviceScaleFactor: 1.25 });
    await tab.goto(pathToFileURL(page).href);
    await tab.setViewportSize({ width: 1120, height: 100 });
    await tab.screenshot({ path: join(folder, `manictime-day-${colorScheme}.png`), fullPage: true });
    await tab.setViewportSize({ width: 700, height: 560 });
    await tab.screenshot({ path: join(folder, `manictime-day-narrow-${colorScheme}.png`) });
  }
  await browser.close();
}
