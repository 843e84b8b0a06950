import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryHome } from '@deskside/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { openLogNotify } from './log-notify.ts';
import { fateOf } from './tools/notify.ts';

afterEach(() => void vi.restoreAllMocks());

test.each(['error', 'info'] as const)('stderr that is the log of the desk gets no %s', async (level) => {
  const config = join(temporaryHome(), 'log-notify.toml');
  writeFileSync(config, '[file]\nlevel = "warn"\n[desktop]\nenabled = false\n');
  const reports: string[] = [];
  const report = (sentence: string) => void reports.push(sentence);
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await using logNotify = openLogNotify({ config }, { report, isStderrLog: true });
  const receipt = await logNotify.notify({
    level,
    context: 'llm',
    message: 'Milk',
  });
  await logNotify.settled();
  expect(write).not.toHaveBeenCalled();
  expect(reports).toStrictEqual([]);
  const expected =
    level === 'error'
      ? 'The message waits for the person'
      : 'No sink accepted the message: the configuration filters it out';
  expect(fateOf(receipt).note).toContain(expected);
});
