import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { testContext } from '@deskside/core/testing';
import { firstText } from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import { apply } from '../commands/apply.ts';
import { list } from '../commands/list.ts';
import { openDesk } from '../open-desk.ts';
import { runCommand, SELF } from '../testing/commands.ts';
import { type UserHome, userHome } from '../testing/user-home.ts';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const BROWSER = `"--isolated", "--headless", "--no-sandbox", "--executable-path", "${CHROMIUM}"`;
const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/aggregator.md'), 'utf8');

/** The example of the page, with the folders of this user. */
function exampleOf(
  id: string,
  { folder }: UserHome,
  ...changes: readonly (readonly [string, string])[]
): string {
  const [, text = ''] = new RegExp(`\`\`\`toml\\n(\\[mcpServers\\.${id}\\]\\n[^]*?)\`\`\``).exec(PAGE) ?? [];
  expect(text).not.toBe('');
  return changes.reduce(
    (changed, [from, to]) => {
      expect(changed).toContain(from);
      return changed.replaceAll(from, to);
    },
    text.replaceAll('/home/ada', folder),
  );
}

/** A home folder whose npx finds the packages of the tests, and nothing else. */
function homeWithPackages(): UserHome {
  const home = userHome();
  for (const name of ['work', 'notes', '.config']) mkdirSync(join(home.folder, name), { recursive: true });
  symlinkSync(
    join(import.meta.dirname, '../../../../packages/gateway/node_modules'),
    join(home.file, '../node_modules'),
  );
  writeFileSync(join(home.folder, '.npmrc'), 'offline=true\n');
  vi.stubEnv('HOME', home.folder);
  return home;
}

/** Accepts the example, lists it, and calls one of its tools, which the person lets run. */
async function tried(
  home: UserHome,
  example: string,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
) {
  const [, id = ''] = /^\[mcpServers\.(\w+)\]/.exec(example) ?? [];
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.folder };
  home.edit(example.replace(/^.*\n/, '$&run = ["*"]\n'));
  const { stdout } = await runCommand(apply, { flags: { yes: true }, env });
  expect(stdout).toContain(`${id} offers:`);
  const listed = await runCommand(list(SELF), { flags: { mounts: id }, env });
  expect(listed.stdout).toMatch(new RegExp(`^${id} +(?:command|url) +ready `));
  await using desk = await openDesk({ mounts: [id], noMounts: [] }, { env, log: silentLog });
  const result = await desk.aggregator.definition.callTool(name, args, testContext());
  return result === undefined ? 'unknown tool' : firstText(result as never);
}

/** Of the page: its id, what differs here, one of its tools with its arguments, and what that answers. */
const EXAMPLES = [
  ['files', [], 'files_read_text_file', { path: '~/notes/a.txt' }, 'hello'],
  ['memory', [], 'memory_read_graph', {}, '"entities": []'],
  ['browser', [['"--isolated"', BROWSER]], 'browser_browser_tabs', { action: 'list' }, 'about:blank'],
] as const;

test.each(EXAMPLES.filter(([id]) => id !== 'browser' || existsSync(CHROMIUM)))(
  'the example of the page for %s runs',
  async (id, changes, tool, args, answer) => {
    const home = homeWithPackages();
    writeFileSync(join(home.folder, 'notes/a.txt'), 'hello');
    const here = JSON.parse(JSON.stringify(args).replaceAll('~', home.folder));
    expect(await tried(home, exampleOf(id, home, ...changes), tool, here)).toContain(answer);
  },
);
