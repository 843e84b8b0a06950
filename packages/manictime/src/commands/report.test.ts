import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordedContext, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { type Fixture, writeFixture } from '../testing/fixture.ts';
import { row, site } from '../testing/test-server.ts';
import { report } from './report.ts';

/** The least that is a whole JPEG. */
const PIXEL = Buffer.from('ffd8ffc0000b080001000101011100ffd9', 'hex');
const WORK: Fixture = { applications: [row('09:00', '10:00', 'Code')] };

/** @returns what the report of 15 January printed */
async function reportTo(out: string | undefined, fixture = WORK, exclude = '') {
  const folder = temporaryFolder();
  writeFixture(folder, fixture);
  for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (name.endsWith('.jpg')) writeFileSync(join(parentPath, name), PIXEL);
  const env = { MANICTIME_DATA_DIR: folder, MANICTIME_EXCLUDE: exclude };
  const context = { ...recordedContext(), env };
  await report.run({ date: '2025-01-15', screenshots: '5', ...(out === undefined ? {} : { out }) }, context);
  return context.written;
}

test('report --out - prints the HTML and nothing else, and its notes elsewhere', async () => {
  const { output, notes } = await reportTo('-');
  expect(existsSync('-')).toBe(false);
  expect(output).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/i);
  expect(notes).toContain('Wrote standard output: 2025-01-15, 0 screenshots.\n');
});

test('report writes one private file, replaces its own report only, and names what is wrong', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'day.html');
  for (let time = 0; time < 2; time += 1) expect((await reportTo(out)).output).toContain(`Wrote ${out}`);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  writeFileSync(join(folder, 'other.html'), 'mine');
  writeFileSync(join(folder, 'empty.html'), '');
  expect((await reportTo(join(folder, 'empty.html'))).output).toContain('Wrote');
  await expect(reportTo(join(folder, 'other.html'))).rejects.toThrow('not a report');
  await expect(reportTo(join(folder, 'no', 'x.html'))).rejects.toThrow('ENOENT');
  await expect(reportTo(undefined)).rejects.toThrow('Missing --out');
});

test('report shows no screenshot that the rules hide because of the days before', async () => {
  const evening = '2025-01-13 23:50:00';
  const quarter = '2025-01-13 23:55:00';
  const window = row(evening, '2025-01-13 23:59:00', 'Firefox', { id: 1 });
  const secret = site(evening, quarter, 'secret.test', { relatedId: 1 });
  const open = site(quarter, '2025-01-15 00:30:00', 'open.test', { relatedId: 1 });
  const applications = [window, row('00:00', '00:30', 'Code')];
  const fixture = { applications, documents: [secret, open], shots: ['00:10:00'] };
  expect((await reportTo('-', fixture)).notes).toContain(' 1 screenshots.');
  expect((await reportTo('-', fixture, 'site:secret.test')).notes).toContain(' 0 screenshots.');
});
