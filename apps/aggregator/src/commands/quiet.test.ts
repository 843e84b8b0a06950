import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { runCommand } from '../testing/commands.ts';
import { quiet } from './quiet.ts';

afterEach(() => void vi.unstubAllEnvs());

const run = async (operands: string[] = [], flags: Record<string, string> = {}) =>
  (await runCommand(quiet, { operands, flags })).stdout;

test('deskside quiet silences all agents or one, shows until when, and ends it', async () => {
  const state = temporaryFolder();
  vi.stubEnv('XDG_STATE_HOME', state);
  expect(await run()).toMatch(/^Agents may interrupt\./);
  expect(await run(['1h'])).toMatch(/^All agents: quiet until \d{4}-\d\d-\d\d \d\d:\d\d/);
  expect(await run(['until-back'], { agent: 'Codex · shop' })).toMatch(
    /\nCodex · shop: quiet until you are back, at most \d{4}-/,
  );
  expect(readdirSync(join(state, 'deskside'))).toEqual(['desk.sqlite']);
  expect(await run(['off'], { agent: 'Codex · shop' })).toMatch(/^All agents: quiet until [^\n]*\n$/);
  expect(await run(['off'])).toMatch(/^Agents may interrupt\./);
});

test('deskside quiet rejects another period and names the ones that it knows', async () => {
  const { code, stderr } = await runCommand(quiet, { operands: ['2h'] });
  expect(code).toBe(1);
  expect(stderr).toContain('Pass one of 15m, 1h, until-back, off.');
});
