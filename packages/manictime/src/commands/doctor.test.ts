import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { recordedContext, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { writeExampleFolder } from '../testing/example-folder.ts';
import { writeFixture } from '../testing/fixture.ts';
import { openTestManicTime } from '../testing/test-server.ts';
import { doctor } from './doctor.ts';
import { program } from './index.ts';

async function doctorOf(env: Record<string, string>, flags: Record<string, string> = {}) {
  const context = { ...recordedContext(), env };
  const exit = await doctor.run({ all: true, ...flags }, context);
  return { exit, lines: context.written.output.replace(/\n$/, '').split('\n') };
}

test('doctor explains per rule and for all rules how much they hide, and names a rule that hides nothing', async () => {
  const folder = temporaryFolder();
  await writeExampleFolder(folder);
  const { exit, lines } = await doctorOf({
    MANICTIME_DATA_DIR: folder,
    MANICTIME_EXCLUDE: 'site:github.com, app:google chrome, app:slak',
    MANICTIME_REDACT: 'title:server.ts',
  });
  expect(exit).toBe(0);
  const at = lines.findIndex((line) => line.startsWith('Privacy rules'));
  expect(lines.slice(at, at + 7).map((line) => line.slice(15).trim())).toEqual([
    '3 exclude, 1 redact',
    'In the last 30 days with data:',
    'exclude site:github.com: hides 2 activities, 30 active minutes, 0 screenshots',
    'exclude app:google chrome: hides 2 activities, 30 active minutes, 0 screenshots',
    'exclude app:slak: hides 0 activities, 0 active minutes, 0 screenshots',
    'redact title:server.ts: hides 4 activities, 105 active minutes, 1 screenshot',
    'all rules together: 6 activities, 135 active minutes, 1 screenshot',
  ]);
  expect(lines.join('\n')).toContain('The privacy rule app:slak matches nothing');
  expect(lines.join('\n')).not.toMatch(/Issues|Chrome/);
});

test('the start logs the rules that match nothing, also if windows without a program are hidden', async () => {
  const folder = temporaryFolder();
  await writeExampleFolder(
    folder,
    `INSERT INTO Ar_Activity (ReportId, ActivityId, Name, StartLocalTime, EndLocalTime, StartUtcTime, EndUtcTime) VALUES
      (3, 90, 'Vault', '2025-01-15 11:30:00', '2025-01-15 11:40:00', '2025-01-15 10:30:00', '2025-01-15 10:40:00')`,
  );
  const exclude = ['app:google\u00A0chrome', 'app:slak', 'title:billable', 'site:github.com', 'title:vault'];
  await using manictime = openTestManicTime({ dataDir: folder, exclude, redact: ['title:salary'] });
  const warned: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const log = {
    ...silentLog,
    warn: (message: string, fields?: object) => {
      if (warned.push({ message, ...fields }) === 2) resolve();
    },
  };
  const { options, started } = program({});
  void started?.(manictime, options.schema.parse({}), log);
  await promise;
  const message = 'privacy rule matches nothing in the last 30 days with data';
  expect(warned).toEqual([
    { message, rule: 'app:slak' },
    { message, rule: 'title:salary' },
  ]);
});

test('doctor reports screenshots that cannot be read, also if rules exist', async () => {
  const folder = temporaryFolder();
  await writeExampleFolder(folder);
  const loop = join(temporaryFolder(), 'loop');
  symlinkSync('loop', loop);
  const { exit, lines } = await doctorOf({
    MANICTIME_DATA_DIR: folder,
    MANICTIME_SCREENSHOTS_DIR: loop,
    MANICTIME_EXCLUDE: 'site:github.com',
  });
  expect(exit).toBe(0);
  expect(lines.join('\n')).toContain('ScreenshotsUnreadable');
});

/** What doctor prints after its problems, without names of folders. */
async function factsOf(env: Record<string, string>) {
  const { exit, lines } = await doctorOf(env);
  const facts = lines.join('\n').split('\n\n')[2]?.split('\n') ?? [];
  return { exit, facts: facts.slice(0, -1).map((line) => line.replace(/\/\S+ /, '')) };
}

test('doctor names the folder, the database, its span and version, and the screenshots', async () => {
  const folder = temporaryFolder();
  await writeExampleFolder(folder);
  expect(await factsOf({ MANICTIME_DATA_DIR: folder })).toEqual({
    exit: 0,
    facts: [
      'Data folder    (from MANICTIME_DATA_DIR)',
      expect.stringMatching(/^Database {7}0\.1 MB, schema Valid$/),
      'Data           2025-01-14 to 2025-01-15',
      'ManicTime      2025.3.5.0',
      'Screenshots    Available, 2025-01-15 to 2025-01-15',
      'Privacy rules  0 exclude, 0 redact',
    ],
  });
  const { lines } = await doctorOf({}, { 'data-dir': folder });
  expect(lines.join('\n')).toMatch(/Data folder .*\(from an option\)/);
});

test.skipIf(process.platform === 'win32')(
  'doctor says what to do without data, and exits with 1',
  async () => {
    const nothing = ['Data           unknown', 'ManicTime      version unknown'];
    const { exit, lines } = await doctorOf({});
    expect(exit).toBe(1);
    expect(lines.join('\n')).toContain('Set MANICTIME_DATA_DIR (--data-dir) to the folder that contains');
    expect(await factsOf({})).toEqual({
      exit: 1,
      facts: [
        'Data folder    not found (pass --data-dir or set MANICTIME_DATA_DIR)',
        'Database       not found',
        ...nothing,
        'Screenshots    Unknown',
        'Privacy rules  0 exclude, 0 redact',
      ],
    });
    expect(await factsOf({ MANICTIME_DATA_DIR: temporaryFolder() })).toEqual({
      exit: 1,
      facts: [
        'Data folder    (from MANICTIME_DATA_DIR)',
        'Database       not found',
        ...nothing,
        'Screenshots    Unavailable',
        'Privacy rules  0 exclude, 0 redact',
      ],
    });
  },
);

test('doctor names what a database does not have, and what is replaced', async () => {
  const folder = temporaryFolder();
  writeFixture(folder, { without: ['Ar_Environment', 'Ar_TimelineSummary'], hasScreenshots: true });
  const { facts } = await factsOf({ MANICTIME_DATA_DIR: folder });
  expect(facts.slice(-2)).toEqual([
    'Missing        TimelineSummary (a fallback is used)',
    '               Environment',
  ]);
});
