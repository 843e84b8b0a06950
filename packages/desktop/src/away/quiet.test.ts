import { expect, onTestFinished, test, vi } from 'vitest';
import { fixedClock } from '@deskside/core/testing';
import { memoryJournal } from '../journal/records.ts';
import { Quiet, quietHoursLeftMs } from './quiet.ts';

function place() {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const store = memoryJournal();
  return { clock, store, open: () => new Quiet(store, clock) };
}

test('"Not now" holds for all agents or for one, in every process, until its time is over', () => {
  const { clock, open } = place();
  const [one, other] = [open(), open()];
  expect(other.leftMs('Codex')).toBe(0);
  one.begin('1h', 'Codex · shop');
  one.begin('15m');
  expect(other.leftMs('Codex · shop')).toBe(3_600_000);
  expect(other.leftMs('Cursor')).toBe(900_000);
  expect(other.leftMs()).toBe(3_600_000);
  clock.advance(900_000);
  expect(other.leftMs('Cursor')).toBe(0);
  expect(other.leftMs('Codex · shop')).toBe(2_700_000);
  other.end();
  expect(one.leftMs()).toBe(0);
});

test('a later "Not now" for the same agents replaces the earlier one', () => {
  const { open } = place();
  const quiet = open();
  quiet.begin('1h');
  quiet.begin('15m');
  expect(quiet.leftMs('Codex')).toBe(900_000);
});

test('"until I am back" ends when the person is back, and after twelve hours; the rest stays', () => {
  const { clock, open } = place();
  const quiet = open();
  quiet.begin('until-back');
  quiet.begin('15m', 'Codex');
  expect(quiet.isUntilBack).toBe(true);
  quiet.back();
  expect([quiet.isUntilBack, quiet.leftMs('Cursor'), quiet.leftMs('Codex')]).toStrictEqual([
    false,
    0,
    900_000,
  ]);
  quiet.begin('until-back');
  clock.advance(12 * 3_600_000);
  expect(quiet.leftMs()).toBe(0);
});

test('an invalid record of "Not now" silences no agent', () => {
  const { open, store } = place();
  for (const text of ['{', '{}', '[{"until":7}]', '[{"until":"2999-01-01T00:00:00Z","isUntilBack":false}]']) {
    store.changeState('quiet', () => text);
    expect(open().leftMs()).toBe(0);
  }
});

test('quiet hours are silent for every agent in every process, until the configuration has none', () => {
  const { clock, open } = place();
  const minute = clock.now().getHours() * 60;
  open().keepHours({ from: minute, to: (minute + 60) % 1440 });
  expect([open().isSilent('Codex'), open().leftMs('Codex')]).toStrictEqual([true, 0]);
  clock.advance(3_600_000);
  expect(open().isSilent('Codex')).toBe(false);
  open().keepHours({ from: (minute + 120) % 1440, to: minute });
  expect(open().isSilent('Codex')).toBe(false);
  clock.advance(3_600_000);
  expect(open().isSilent('Codex')).toBe(true);
  open().keepHours(undefined);
  expect(open().isSilent('Codex')).toBe(false);
});

test.each([
  ['in spring, in a night of 8 hours', [2026, 2, 28], 8],
  ['in autumn, in one of 10', [2026, 9, 24], 10],
] as const)('quiet hours end at the same local time %s', (_, [year, month, day], hours) => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  onTestFinished(() => void vi.unstubAllEnvs());
  const left = quietHoursLeftMs({ from: 22 * 60, to: 7 * 60 }, new Date(year, month, day, 22, 0));
  expect(left).toBe(hours * 3_600_000);
});
