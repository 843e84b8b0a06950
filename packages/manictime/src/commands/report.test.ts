import { existsSync } from 'node:fs';
import { recordedContext, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { writeFixture } from '../testing/fixture.ts';
import { row } from '../testing/test-server.ts';
import { report } from './report.ts';

test('report --out - prints the HTML and nothing else, and its notes elsewhere', async () => {
  const folder = temporaryFolder();
  writeFixture(folder, { applications: [row('09:00', '10:00', 'Code')] });
  const context = { ...recordedContext(), env: { MANICTIME_DATA_DIR: folder } };
  await report.run({ date: '2025-01-15', out: '-' }, context);
  expect(existsSync('-')).toBe(false);
  expect(context.written.output).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/i);
  expect(context.written.notes).toContain('Wrote standard output: 2025-01-15, 0 screenshots.\n');
});
