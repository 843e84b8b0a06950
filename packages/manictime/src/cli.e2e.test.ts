import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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

test.each([
  [['--demo'], {}],
  [[], { MANICTIME_DEMO: '1' }],
])(
  'the bin with flags %j and environment %j serves demo data and removes it at the end',
  async (args, env) => {
    const home = temporaryFolder();
    {
      await using peer = await connectStdio(manictime(home, args, env), { era: 'modern' });
      const { contents } = await peer.readResource('manictime://health');
      expect(contents[0]).toMatchObject({ text: expect.stringContaining('"status":"Healthy"') });
      expect(readdirSync(home).some((name) => name.startsWith('deskside-manictime-demo-'))).toBe(true);
    }
    expect(readdirSync(home).filter((name) => name.startsWith('deskside-manictime-demo-'))).toEqual([]);
  },
);

test('doctor prints what it found and what to do, and its exit code says whether the server can answer', async () => {
  const home = temporaryFolder();
  writeFixture(join(home, 'data'), { applications });
  const found = startProgram(manictime(home, ['doctor', '--all', '--data-dir', join(home, 'data')]));
  expect(await found.exited).toBe(0);
  expect(found.stdout()).toMatch(/ScreenshotDirectoryAbsent[\s\S]*from an option[\s\S]*schema Valid/);
  writeFileSync(join(home, 'data', 'ManicTimeReports.db'), 'x'.repeat(5000));
  const broken = startProgram(manictime(home, ['doctor'], { MANICTIME_DATA_DIR: join(home, 'data') }));
  expect(await broken.exited).toBe(1);
  expect(broken.stdout()).toMatch(/DatabaseIntegrityCheckFailed[\s\S]*from MANICTIME_DATA_DIR/);
});

test('without the native part of better-sqlite3 answers and doctor say to install again, with demo data too', async () => {
  const home = temporaryFolder();
  writeFixture(join(home, 'data'), { applications });
  const cli = installedWithoutNativeParts(join(import.meta.dirname, '..'));
  const again = /native part of better-sqlite3 .*Install the server again/;
  for (const env of [{ MANICTIME_DATA_DIR: join(home, 'data') }, { MANICTIME_DEMO: '1' }]) {
    const run = (...args: readonly string[]) => ({ ...manictime(home, [], env), args: [cli, ...args] });
    await using peer = await connectStdio(run(), { era: 'modern' });
    const answer = firstText(await peer.callTool('get_activity_narrative', DAY));
    expect(answer).toMatch(again);
    expect(answer).not.toMatch(/node_modules|TMPDIR/);
    await using doctor = startProgram(run('doctor'));
    expect(await doctor.exited).toBe(1);
    expect((doctor.stdout() + doctor.stderr()).replaceAll(/\s+/g, ' ')).toMatch(again);
  }
});

test('report writes a day as one private file, replaces its own report only, and names what is wrong', async () => {
  const home = temporaryFolder();
  writeFixture(join(home, 'data'), { applications });
  const env = { MANICTIME_DATA_DIR: join(home, 'data') };
  const run = async (...args: readonly string[]) => {
    const program = startProgram(manictime(home, ['report', '--date', '2025-01-15', ...args], env));
    return [await program.exited, program.stdout() + program.stderr()] as const;
  };
  const out = join(home, 'day.html');
  for (const week of [[], ['--week']]) {
    expect(await run('--out', out, ...week)).toEqual([0, expect.stringContaining(`Wrote ${out}`)]);
  }
  expect(readFileSync(out, 'utf8')).toContain('2025-01-13 to 2025-01-19');
  expect(statSync(out).mode & 0o777).toBe(0o600);
  writeFileSync(join(home, 'other.html'), 'mine');
  writeFileSync(join(home, 'empty.html'), '');
  expect(await run('--out', join(home, 'empty.html'))).toEqual([0, expect.stringContaining('Wrote')]);
  expect(await run('--out', join(home, 'other.html'))).toEqual([1, expect.stringContaining('not a report')]);
  expect(await run('--out', join(home, 'no', 'x.html'))).toEqual([1, expect.stringContaining('ENOENT')]);
  expect(await run()).toEqual([1, expect.stringContaining('Missing --out')]);
});

test.each([[[]], [['doctor']]])(
  'the command line %j rejects an invalid option with one line that says what is wrong',
  async (command) => {
    const program = startProgram(manictime(temporaryFolder(), [...command, '--exclude', 'app:']));
    expect(await program.exited).toBe(1);
    expect(program.stdout()).toBe('');
    expect(program.stderr().trim()).toBe(
      `${['deskside-manictime', ...command].join(' ')}: --exclude: "app:" is empty; name what to hide. See --help.`,
    );
  },
);
