import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '@deskside/core';
import {
  cleanEnvironment,
  type Command,
  connectHttp,
  connectStdio,
  firstText,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { expect, test } from 'vitest';
import { manictimeOptions, openManicTime } from './index.ts';
import { writeFixture } from './testing/fixture.ts';

const CLI = join(import.meta.dirname, 'cli.ts');
const DAY = { startDate: '2025-01-15', endDate: '2025-01-16' };
const applications = [
  { from: '2025-01-15 09:00:00', to: '2025-01-15 10:00:00', group: 'Code', name: 'main.ts' },
];

function manictime(home: string, args: readonly string[], env: Record<string, string> = {}): Command {
  return {
    command: process.execPath,
    args: [CLI, ...args],
    env: { ...cleanEnvironment(home), TMPDIR: home, ...env },
  };
}

test.each(['legacy', 'modern'] as const)(
  'over stdio in the %s era, the folder named by the environment',
  async (era) => {
    const home = temporaryFolder();
    writeFixture(join(home, 'data'), { applications });
    await using peer = await connectStdio(manictime(home, [], { MANICTIME_DATA_DIR: join(home, 'data') }), {
      era,
    });
    const answer = await peer.callTool('get_activity_narrative', DAY);
    expect(JSON.parse(firstText(answer))).toMatchObject({ totalActiveMinutes: 60 });
    const { contents } = await peer.readResource('manictime://config');
    expect(contents[0]).toMatchObject({
      text: expect.stringContaining('"directorySource":"EnvironmentVariable"'),
    });
  },
);

test('over HTTP, the folder named by a flag, rules from the environment', async () => {
  const home = temporaryFolder();
  writeFixture(join(home, 'data'), { applications });
  const args = ['--http', '--port', '0', '--data-dir', join(home, 'data')];
  const env = { DESKSIDE_TOKEN: 'a-token-of-the-test', MANICTIME_REDACT: 'app:code' };
  await using server = startProgram(manictime(home, args, env));
  const [, url = ''] = await server.printed(/serves MCP at (\S+)\n/);
  await using peer = await connectHttp(url, { era: 'modern', token: 'a-token-of-the-test' });
  const answer = firstText(await peer.callTool('get_activity_narrative', DAY));
  expect(answer).toContain('[redacted]');
  expect(answer).not.toContain('Code');
});

test.each([
  [['--demo'], {}],
  [[], { MANICTIME_DEMO: '1' }],
])('%j %j serves made-up data, and leaves nothing behind', async (args, env) => {
  const home = temporaryFolder();
  {
    await using peer = await connectStdio(manictime(home, args, env), { era: 'modern' });
    const { contents } = await peer.readResource('manictime://health');
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('"status":"Healthy"') });
    expect(readdirSync(home).some((name) => name.startsWith('deskside-manictime-demo-'))).toBe(true);
  }
  expect(readdirSync(home).filter((name) => name.startsWith('deskside-manictime-demo-'))).toEqual([]);
});

test('--doctor says what was found and what to do, and exits by it', async () => {
  const home = temporaryFolder();
  const lost = startProgram(manictime(home, [], { MANICTIME_DOCTOR: '1' }));
  expect(await lost.exited).toBe(1);
  expect(lost.stdout()).toMatch(/Unhealthy[\s\S]*not found[\s\S]*MANICTIME_DATA_DIR/);
  writeFixture(join(home, 'data'), { applications });
  const found = startProgram(manictime(home, ['--doctor', '--data-dir', join(home, 'data')]));
  expect(await found.exited).toBe(0);
  expect(found.stdout()).toMatch(/schema Valid[\s\S]*ScreenshotDirectoryAbsent/);
  writeFileSync(join(home, 'data', 'ManicTimeReports.db'), 'x'.repeat(5000));
  const broken = startProgram(manictime(home, ['--doctor', '--data-dir', join(home, 'data')]));
  expect(await broken.exited).toBe(1);
  expect(broken.stdout()).toContain('DatabaseIntegrityCheckFailed');
});

test.each([[[]], [['--doctor']]])(
  'a wrong option is one line that says how to mend it, %j too',
  async (doctor) => {
    const program = startProgram(manictime(temporaryFolder(), [...doctor, '--image-codec', 'gif']));
    expect(await program.exited).toBe(1);
    expect(program.stdout()).toBe('');
    expect(program.stderr().trim()).toBe(
      'deskside-manictime: --image-codec: use one of auto, sharp, jimp. See --help.',
    );
  },
);

test('mounted in another program it reads the same environment', async () => {
  const options = readOptions(manictimeOptions, { flags: {}, env: { MANICTIME_DEMO: '1' } });
  const manictime = openManicTime(options);
  const { folder, source } = await manictime.location();
  expect(source).toBe('Demo');
  await manictime[Symbol.asyncDispose]();
  expect(existsSync(folder ?? '')).toBe(false);
});
