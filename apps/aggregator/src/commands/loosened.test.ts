import { expect, test } from 'vitest';
import { join } from 'node:path';
import { runCommand } from '../testing/commands.ts';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';
import { userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { apply } from './apply.ts';

const inputSchema = { type: 'object' } as const;
const TOOLS = [
  { name: 'read', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'pay', inputSchema, annotations: { destructiveHint: true } },
] as const;
const MODULE = join(import.meta.dirname, '../testing/weather.ts');
const QUESTION = 'Apply these changes? [y/N] ';
const flags = { yes: true };

/** Whether `apply --yes` asks a person at a terminal about the second file, after the first one is accepted. Every object has a constructor. */
async function asks(before: string, after: string): Promise<boolean> {
  const { edit, text } = userHome();
  const shop = await foreignServer(TOOLS);
  await runCommand(add, { flags, operands: ['constructor', shop.url] });
  const base = text();
  const fill = (settings: string) => `${settings}\n`.replace('[shop]', base.trim());
  edit(fill(before));
  expect(await runCommand(apply, { flags, typed: 'y\n' })).toMatchObject({ code: 0 });
  edit(fill(after));
  const refused = await runCommand(apply, { flags, typed: 'n\n' });
  const isAsked = refused.stdout.includes(QUESTION);
  expect(refused.code).toBe(isAsked ? 1 : 0);
  if (!isAsked) return false;
  expect(refused.stdout).toContain('Nothing was applied.');
  expect((await runCommand(apply, { flags, typed: 'y\n' })).stdout).toContain('Applied.');
  expect((await runCommand(apply, { flags, typed: '' })).stdout).toContain('Nothing differs');
  return true;
}

const shop = (...lines: readonly string[]) => ['[shop]', ...lines].join('\n');
const weather = (...lines: readonly string[]) =>
  ['[shop]', '[mounts.weather]', `module = "${MODULE}"`, ...lines].join('\n');

test.each<readonly [string, string, string, boolean]>([
  ['a pattern that runs what would ask', shop(), shop('run = ["p*"]'), true],
  ['a pattern that runs what only reads', shop(), shop('run = ["read"]'), false],
  ['a pattern that asks', shop(), shop('ask = ["*"]'), false],
  ['a pattern that blocks', shop(), shop('block = ["*"]'), false],
  ['no longer blocked', shop('block = ["pay"]'), shop(), true],
  ['no longer asked', shop('ask = ["read"]'), shop(), true],
  ['a pattern that already ran it', shop('run = ["pay"]'), shop('run = ["*"]'), false],
  ['run, after ask was before it', shop('run = ["*"]', 'ask = ["pay"]'), shop('run = ["*"]'), true],
  ['a module whose tools run', weather(), weather('run = ["*"]'), true],
  ['a module, ask removed', weather('run = ["*"]', 'ask = ["x"]'), weather('run = ["*"]'), true],
  ['fewer calls on stdio', shop(), `approvals = "destructive"\n${shop()}`, true],
  ['more calls on stdio', `approvals = "off"\n${shop()}`, shop(), false],
  ['a profile that asks about nothing', shop(), `${shop()}\n[profiles.ci]\napprovals = "off"`, true],
  [
    'a profile that is no longer stricter',
    `approvals = "off"\n${shop()}\n[profiles.ci]\napprovals = "ask"`,
    `approvals = "off"\n${shop()}\n[profiles.ci]`,
    true,
  ],
  [
    'a profile without a search',
    `${shop()}\n[profiles.ci]\ntools = "search"`,
    `${shop()}\n[profiles.ci]`,
    true,
  ],
  ['another phone', shop(), `${shop()}\n[phone]\ntopic = "of-an-agent"`, true],
  ['a client that is no longer stricter', `${shop()}\n[clients.codex]\napprovals = "ask"`, shop(), true],
])('apply --yes, %s: asks %#', async (_, before, after, isAsked) => {
  expect(await asks(before, after)).toBe(isAsked);
});
