import { readFileSync, statSync } from 'node:fs';
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
  expect(await run()).toBe('Agents may interrupt.\n');
  expect(await run(['1h'])).toMatch(/^All agents: quiet until \d{4}-\d\d-\d\d \d\d:\d\d/);
  expect(await run(['until-back'], { agent: 'Codex · shop' })).toMatch(
    /\nCodex · shop: quiet until you are back, at most \d{4}-/,
  );
  const file = join(state, 'deskside/quiet.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(2);
  expect(await run(['off'])).toBe('Agents may interrupt.\n');
});

test('deskside quiet rejects another period and names the ones that it knows', async () => {
  const { code, stderr } = await runCommand(quiet, { operands: ['2h'] });
  expect(code).toBe(1);
  expect(stderr).toContain('Pass one of 15m, 1h, until-back, off.');
});

test('deskside quiet off --agent ends it for that agent only', async () => {
  vi.stubEnv('XDG_STATE_HOME', temporaryFolder());
  await run(['1h']);
  await run(['1h'], { agent: 'Codex · shop' });
  expect(await run(['off'], { agent: 'Codex · shop' })).toMatch(/^All agents: quiet until [^\n]*\n$/);
});

test.skipIf(process.platform === 'win32').each(['1h', 'off'])(
  'deskside quiet %s without a home folder says what to set',
  async (period) => {
    vi.stubEnv('HOME', '');
    vi.stubEnv('XDG_STATE_HOME', '');
    expect(await runCommand(quiet, { operands: [period] })).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: 'This user has no home folder. Set HOME.\n',
    });
    expect(await run()).toBe('Agents may interrupt.\n');
  },
);
