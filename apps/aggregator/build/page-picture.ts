import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connectStdio, startProgram } from '@deskside/testkit';
import { launch } from '@deskside/testkit/chromium';
import { missingPackages, openDesktop } from '@deskside/notify-popup/testing/desktop';
import { withPersonAt } from '../src/testing/with-person.ts';

// Takes the picture of the page of the desk: `pnpm pictures`, or `node build/page-picture.ts [--to FOLDER]`. The desk has demo data of
// ManicTime, and a person who is logged in at a virtual screen. Two clients are agents of a script: one has its answer, the other waits. Needs the Debian packages of the tests on a
// real screen.
const { values } = parseArgs({ options: { to: { type: 'string' } } });
const folder = values.to ?? join(import.meta.dirname, '../../../docs/pictures');
// Not the built program: where the person is logged in cannot be replaced there.
const CLI = join(import.meta.dirname, '../src/cli.ts');

if (missingPackages.length > 0)
  throw new Error(`Install these packages first: ${missingPackages.join(', ')}`);
mkdirSync(folder, { recursive: true });
const home = join(tmpdir(), 'page-picture');
mkdirSync(join(home, 'bin'), { recursive: true });
const address = join(home, 'address');
// What opens addresses: the browser of this script does.
writeFileSync(
  join(home, 'bin/xdg-open'),
  `#!/bin/sh\necho "$1" > '${address}.new'\nmv '${address}.new' '${address}'\n`,
  {
    mode: 0o755,
  },
);

const DAY_MS = 86_400_000;
const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
const yesterday = new Date(Date.now() - DAY_MS).toLocaleDateString('en-US', { weekday: 'long' });

{
  await using desktop = await openDesktop(home);
  const path = `${join(home, 'bin')}:${desktop.env['PATH']}`;
  const env = withPersonAt(desktop.env, { ...desktop.env, PATH: path });
  const program = (args: readonly string[], own = {}) => ({
    command: process.execPath,
    args: [CLI, ...args],
    env: { ...env, ...own },
  });
  await using desk = startProgram(program(['http', '--demo', '--port', '0']));
  await desk.printed(/serves MCP at/);
  const connect = (name: string, project: string) =>
    connectStdio(
      program(['stdio', '--attach-timeout', '60'], { CLAUDE_PROJECT_DIR: `/home/ada/${project}` }),
      {
        era: 'legacy',
        clientInfo: { name, version: '1.0.0' },
      },
    );
  await using claude = await connect('claude-code', 'web-shop');
  await using codex = await connect('codex-mcp-client', 'billing');

  const user = { user_id: 'me' };
  await claude.callTool('todo_add_task', {
    ...user,
    title: 'Ask Maria about the front page',
    due_date: tomorrow,
  });
  await claude.callTool('todo_add_task', { ...user, title: 'Write the notes of 2.1.0' });
  await codex.callTool('todo_claim_task', { ...user, task_id: 2 });
  const first = claude.callTool('popup_notify', {
    message: 'Version 2.1.0 is ready. How shall I release it?',
  });
  await desktop.popupHasKeyboard();
  // A window that has just opened takes no keys.
  await delay(1500);
  desktop.type('To 5 % first');
  desktop.key('Return');
  await first;
  await claude.callTool('log_notify', { message: 'Released 2.1.0 to 5 % of the users. Error rate: 0.2 %.' });
  // Ends with the agent.
  codex
    .callTool('popup_notify', {
      message:
        'The migration takes **4 minutes**, and the shop is read-only meanwhile. When shall I start it?',
      options: ['Now', 'Tonight at 23:00'],
    })
    .catch(() => undefined);
  await desktop.popupHasKeyboard();

  await using browser = await launch();
  for (const theme of ['light', 'dark'] as const) {
    await using opening = startProgram(program(['open']));
    await opening.exited;
    const tab = await browser.newPage({
      viewport: { width: 1200, height: 1130 },
      deviceScaleFactor: 1.5,
      colorScheme: theme,
    });
    await tab.goto(readFileSync(address, 'utf8').trim());
    await tab.getByText('Connected to this desk.').waitFor();
    await tab.getByText('Ask Maria').first().waitFor();
    await tab.getByRole('button', { name: 'Earlier day' }).click();
    await tab.getByRole('heading', { name: yesterday }).waitFor();
    await tab.screenshot({ path: join(folder, `page-${theme}.png`) });
    await tab.close();
  }
}
rmSync(home, { recursive: true, maxRetries: 10 });
