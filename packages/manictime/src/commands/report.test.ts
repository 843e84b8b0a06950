import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordedContext, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { writeFixture } from '../testing/fixture.ts';
import { row } from '../testing/test-server.ts';
import { report } from './report.ts';

/** @returns what the report of 15 January printed */
async function reportTo(out: string | undefined) {
  const folder = temporaryFolder();
  writeFixture(folder, { applications: [row('09:00', '10:00', 'Code')] });
  const context = { ...recordedContext(), env: { MANICTIME_DATA_DIR: folder } };
  await report.run({ date: '2025-01-15', ...(out === undefined ? {} : { out }) }, context);
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
