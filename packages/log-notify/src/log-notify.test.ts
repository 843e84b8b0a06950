import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@deskside/core/base';
import { memoryJournal, Quiet } from '@deskside/desktop';
import { fixedClock, startX11Server, temporaryHome } from '@deskside/testkit';
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

test('all programs of the person know the quiet hours of its configuration', async () => {
  const config = join(temporaryHome(), 'log-notify.toml');
  const journal = memoryJournal();
  const quiet = new Quiet(journal, fixedClock('2026-03-01T10:00:00Z'));
  for (const [text, isSilent] of [
    ['[quiet_hours]\nfrom = "00:00"\nto = "23:59"\n', true],
    ['', false],
  ] as const) {
    writeFileSync(config, `${text}[file]\nenabled = false\n[desktop]\nenabled = false\n`);
    await using logNotify = openLogNotify(
      { config },
      { journal, report: () => undefined, isStderrLog: true },
    );
    await logNotify.notify({ level: 'error', context: 'llm', message: 'Milk' });
    expect(quiet.isSilent('Codex')).toBe(isSilent);
  }
});

test.skipIf(process.platform !== 'linux')(
  'while the person wants quiet until they are back, their display is asked, although no popup runs',
  async () => {
    const config = join(temporaryHome(), 'log-notify.toml');
    writeFileSync(config, '[file]\nenabled = false\n');
    await using display = await startX11Server({ idleMs: 300_000 });
    vi.stubEnv('DISPLAY', display.display);
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere/bus');
    const journal = memoryJournal();
    new Quiet(journal, systemClock).begin('until-back');
    const surroundings = { journal, report: () => undefined, isStderrLog: true };
    await using logNotify = openLogNotify({ config }, surroundings);
    const receipt = await logNotify.notify({ level: 'warn', context: 'llm', message: 'Milk' });
    expect(receipt.suppressed).toStrictEqual({ desktop: 'quiet hours' });
    await expect.poll(() => display.screenSaverQuestions()).toBeGreaterThan(0);
  },
);

test('a configuration that does not exist is reported once', async () => {
  const config = join(temporaryHome(), 'nowhere.toml');
  const reports: string[] = [];
  const report = (sentence: string) => void reports.push(sentence);
  await using logNotify = openLogNotify({ config, webhookUrl: new URL('https://example.org') }, { report });
  expect(reports).toStrictEqual([`${config} does not exist. The defaults apply until it is created.`]);
  expect(await logNotify.sinks()).toHaveLength(4);
  expect(reports).toHaveLength(1);
});

test('a message that only a stderr has got, which is no terminal, waits for nobody', () => {
  const receipt = { delivered: [], unseen: { stderr: 'not a terminal' }, suppressed: {} } as const;
  expect(fateOf(receipt)).toStrictEqual({
    outcome: 'not shown',
    note: 'The message went to stderr only, where the person may not see it. If it matters, tell the person in your answer.',
  });
});
