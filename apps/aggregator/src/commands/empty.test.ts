import { join } from 'node:path';
import type { Command, Flags } from '@deskside/core/program';
import { expect, test, vi } from 'vitest';
import { runCommand, SELF } from '../testing/commands.ts';
import { userHome } from '../testing/user-home.ts';
import { data } from './data.ts';
import { log } from './log.ts';
import { quiet } from './quiet.ts';
import { rules } from './rules.ts';
import { status } from './status.ts';
import { tokenList } from './token.ts';

test.each<readonly [string, Command, Flags]>([
  ['No records yet. What agents ask, report and call appears here. To try it: deskside send Hello', log, {}],
  ['No record matches. Without options "deskside log" shows the latest of all.', log, { kind: 'news' }],
  ['No desk is running. It starts when a client needs it, and with "deskside open".', status(SELF), {}],
  ['No rules. Calls that need an approval ask you. To add one: deskside rules allow MOUNT TOOL', rules, {}],
  [
    'No tokens besides that of "deskside token show". To create one: deskside token create laptop',
    tokenList,
    {},
  ],
  [
    'Nothing is stored. Files appear here after the first use, for example: deskside todo add Buy groceries',
    data(SELF),
    {},
  ],
  ['Agents may interrupt. For an hour without popups: deskside quiet 1h', quiet, {}],
])('a command without anything to show says what to try: %s', async (text, command, flags) => {
  const { folder } = userHome();
  for (const name of ['HOME', 'TMPDIR']) vi.stubEnv(name, join(folder, 'nothing'));
  const { stdout } = await runCommand(command, { flags });
  expect(stdout.split('\n')).toContain(text);
});
