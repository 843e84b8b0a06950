import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanEnvironment,
  type Command,
  connectHttp,
  connectStdio,
  firstText,
  installedWithoutNativeParts,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { expect, test } from 'vitest';
import { writeFixture } from './testing/fixture.ts';
import { DAY, row } from './testing/test-server.ts';

const CLI = join(import.meta.dirname, '../dist/bin/cli.js');
const applications = [row('09:00', '10:00', 'Code')];

function manictime(home: string, args: readonly string[], env: Record<string, string> = {}): Command {
  return {
    command: process.execPath,
    args: [CLI, ...args],
    env: { ...cleanEnvironment(home), TMPDIR: home, ...env },
  };
}

test.each(['legacy', 'modern'] as const)(
  'the bin serves stdio in the %s era with the data folder of the environment',
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

test('the bin serves HTTP with the data folder of a flag and the privacy rules of the environment', async () => {
  const home = temporaryFolder();
  writeFixture(join(home, 'data'), { applications });
  const args = ['--http', '--port', '0', '--data-dir', join(home, 'data')];
  const env = { DESKSIDE_TOKEN: 'a-token-of-the-test', MANICTIME_REDACT: 'app:code' };
  await using server = startProgram(manictime(home, args, env));
  const [, url = ''] = await server.printed(/serves MCP at (\S+)\n/);
  await using peer = await connectHttp(url, { era: 'modern', token: 'a-token-of-the-test' });
  const answer = firstText(await peer.callTool('get_activity_narrative', DAY));
  expect(answer).toContain('[redacted]');
  expect(answer).not.toContain('"Code"');
});

test('the bin serves demo data and removes it at the end', async () => {
  const home = temporaryFolder();
  const demoFolders = () => readdirSync(home).filter((name) => name.startsWith('deskside-manictime-demo-'));
  {
    await using peer = await connectStdio(manictime(home, ['--demo']), { era: 'modern' });
    const { contents } = await peer.readResource('manictime://health');
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('"status":"Healthy"') });
    expect(demoFolders()).toHaveLength(1);
  }
  expect(demoFolders()).toEqual([]);
});

test('without the native part of better-sqlite3 answers and doctor say to install again, with demo data too', async () => {
  const home = temporaryFolder();
  writeFixture(join(home, 'data'), { applications });
  const cli = installedWithoutNativeParts(join(import.meta.dirname, '..'));
  const again = /native part of better-sqlite3 .*Install the server again/;
  const run = (env: Record<string, string>, ...args: readonly string[]) => ({
    ...manictime(home, [], env),
    args: [cli, ...args],
  });
  const data = { MANICTIME_DATA_DIR: join(home, 'data') };
  for (const env of [data, { MANICTIME_DEMO: '1' }]) {
    await using peer = await connectStdio(run(env), { era: 'modern' });
    const answer = firstText(await peer.callTool('get_activity_narrative', DAY));
    expect(answer).toMatch(again);
    expect(answer).not.toMatch(/node_modules|TMPDIR/);
  }
  await using doctor = startProgram(run(data, 'doctor'));
  expect(await doctor.exited).toBe(1);
  expect((doctor.stdout() + doctor.stderr()).replaceAll(/\s+/g, ' ')).toMatch(again);
});

test('the bin writes the report of a week', async () => {
  const home = temporaryFolder();
  writeFixture(join(home, 'data'), { applications });
  const args = ['report', '--date', '2025-01-15', '--week', '--out', join(home, 'week.html')];
  const report = startProgram(manictime(home, args, { MANICTIME_DATA_DIR: join(home, 'data') }));
  expect(await report.exited).toBe(0);
  expect(readFileSync(join(home, 'week.html'), 'utf8')).toContain('2025-01-13 to 2025-01-19');
});
