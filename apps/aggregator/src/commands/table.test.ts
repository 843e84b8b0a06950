import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters, styleText } from 'node:util';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import { runCommand, SELF } from '../testing/commands.ts';
import { userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { data } from './data.ts';
import { list } from './list.ts';
import { inTerminal, log } from './log.ts';
import { rules, rulesDeny } from './rules.ts';
import { cutToTerminal } from './table.ts';
import { tokenCreate, tokenList } from './token.ts';

const LONG = 'a_long_name_of_a_tool_that_no_terminal_shows_whole_because_nobody_has_such_a_wide_one_';

test('list, rules, token list, data and log are as wide as the terminal, and whole for a program', async () => {
  userHome();
  const home = temporaryFolder();
  vi.stubEnv('HOME', home);
  const inputSchema = { type: 'object' } as const;
  const shop = await foreignServer([{ name: LONG, inputSchema }]);
  await runCommand(add, { flags: { yes: true }, operands: ['shop', shop.url] });
  await runCommand(rulesDeny, { operands: ['shop', LONG] });
  const created = await runCommand(tokenCreate, { flags: { yes: true }, operands: [LONG.slice(0, 32)] });
  expect(created).toMatchObject({ code: 0 });
  const file = join(home, 'snap/chromium/common/deskside-popup/Default', LONG.slice(0, 100), 'Cookies');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  for (const [command, flags] of [
    [list, { tools: true }],
    [rules, {}],
    [tokenList, {}],
    [data, {}],
    [log, {}],
  ] as const) {
    const run = typeof command === 'function' ? command(SELF) : command;
    const whole = (await runCommand(run, { flags })).stdout;
    expect(whole).not.toContain('…');
    for (const columns of [80, 140]) {
      const cut = stripVTControlCharacters((await runCommand(run, { flags, columns })).stdout).split('\n');
      const wide = cut.filter((line) => line.length > columns);
      // Sentences, and why a server does not work, are whole.
      expect(wide.filter((line) => !/^Not listed|No ManicTime data/.test(line))).toStrictEqual([]);
    }
  }
});

test('in a terminal, the time of a record is dim, and its sign has a color', () => {
  vi.stubEnv('FORCE_COLOR', '1');
  const line = '10:31:07  claude  ✗ call todo add_task';
  const shown = `${styleText('dim', '10:31:07  ')}claude  ${styleText('red', '✗')} call todo add_task`;
  expect(inTerminal(line, Object.assign(new PassThrough(), { isTTY: true, columns: 80 }))).toBe(shown);
  expect(inTerminal(line, Object.assign(new PassThrough(), { isTTY: false }))).toBe(line);
});

test.each([
  ['10:31:07  Claude Code · shop', 20, '10:31:07  Claude Co…'],
  ['现在发布版本还是等到明天', 9, '现在发布…'],
  ['10:31:07  a  ✓ call todo add_task', 20, '10:31:07  a  ✓ call…'],
  ['short', 80, 'short'],
  ['a terminal that does not know its size', 0, 'a terminal that does not know its size'],
])('%s in %i columns', (line, columns, shown) => {
  expect(cutToTerminal(line, Object.assign(new PassThrough(), { isTTY: true, columns }))).toBe(shown);
});
