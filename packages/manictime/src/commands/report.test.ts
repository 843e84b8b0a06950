import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { PassThrough } from 'node:stream';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { writeFixture } from '../testing/fixture.ts';
import { row } from '../testing/test-server.ts';
import { report } from './report.ts';

test('report --out - prints the HTML and nothing else, and its notes elsewhere', async () => {
  const folder = temporaryFolder();
  writeFixture(folder, { applications: [row('09:00', '10:00', 'Code')] });
  const output = new PassThrough();
  const notes: string[] = [];
  await report.run(
    { date: '2025-01-15', out: '-' },
    {
      operands: [],
      env: { MANICTIME_DATA_DIR: folder },
      input: (async function* () {})(),
      output,
      closed: new AbortController().signal,
      print: (line) => void output.write(`${line}\n`),
      note: (line) => void notes.push(line),
      write: () => undefined,
    },
  );
  expect(existsSync('-')).toBe(false);
  expect(await text(output.end())).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/i);
  expect(notes).toContain('Wrote standard output: 2025-01-15, 0 screenshots.');
});
