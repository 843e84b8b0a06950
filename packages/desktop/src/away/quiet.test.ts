import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fixedClock, temporaryFolder } from '@deskside/core/testing';
import { Quiet } from './quiet.ts';

function place() {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const file = join(temporaryFolder().path, 'state/quiet.json');
  return { clock, file, open: () => new Quiet(file, clock) };
}

test('"Not now" holds for all agents or for one, in every process, until its time is over', async () => {
  const { clock, file, open } = place();
  const [one, other] = [open(), open()];
  expect(other.leftMs('Codex')).toBe(0);
  await one.begin('1h', 'Codex · shop');
  await one.begin('15m');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(other.leftMs('Codex · shop')).toBe(3_600_000);
  expect(other.leftMs('Cursor')).toBe(900_000);
  expect(other.leftMs()).toBe(3_600_000);
  clock.advance(900_000);
  expect(other.leftMs('Cursor')).toBe(0);
  expect(other.leftMs('Codex · shop')).toBe(2_700_000);
  await other.end();
  expect(one.leftMs()).toBe(0);
});

test('a later "Not now" for the same agents replaces the earlier one', async () => {
  const { open } = place();
  const quiet = open();
  await quiet.begin('1h');
  await quiet.begin('15m');
  expect(quiet.leftMs('Codex')).toBe(900_000);
});

test('"until I am back" ends when the person is back, and after twelve hours; the rest stays', async () => {
  const { clock, open } = place();
  const quiet = open();
  await quiet.begin('until-back');
  await quiet.begin('15m', 'Codex');
  expect(quiet.isUntilBack).toBe(true);
  await quiet.back();
  expect([quiet.isUntilBack, quiet.leftMs('Cursor'), quiet.leftMs('Codex')]).toStrictEqual([
    false,
    0,
    900_000,
  ]);
  await quiet.begin('until-back');
  clock.advance(12 * 3_600_000);
  expect(quiet.leftMs()).toBe(0);
});

test('a file that is broken, or that others can read or write, silences no agent', async () => {
  const { file, open } = place();
  const quiet = open();
  await quiet.begin('1h');
  chmodSync(file, 0o666);
  expect(quiet.leftMs()).toBe(0);
  chmodSync(file, 0o600);
  expect(quiet.leftMs()).toBe(3_600_000);
  for (const text of ['{', '{}', '[{"until":7}]', '[{"until":"2999-01-01T00:00:00Z","isUntilBack":false}]']) {
    writeFileSync(file, text);
    expect(quiet.leftMs()).toBe(0);
  }
});

test('without a file only this process knows', async () => {
  const quiet = new Quiet(undefined, fixedClock('2026-03-01T10:00:00Z'));
  await quiet.begin('15m');
  expect(quiet.leftMs('Codex')).toBe(900_000);
});

test('"Not now" that cannot be written holds in this process, until another one changes the file', async () => {
  const { clock, file, open } = place();
  const quiet = open();
  writeFileSync(dirname(file), '');
  await expect(quiet.begin('1h')).rejects.toThrow(/E(EXIST|NOTDIR)/);
  expect(quiet.leftMs('Codex')).toBe(3_600_000);
  rmSync(dirname(file));
  clock.advance(60_000);
  expect(quiet.leftMs('Codex')).toBe(3_540_000);
  await open().end();
  expect(quiet.leftMs('Codex')).toBe(0);
});

test('the end of "Not now" empties the file, and so needs no place on the disk', async () => {
  const { file, open } = place();
  const quiet = open();
  await quiet.begin('until-back');
  await quiet.back();
  expect([quiet.leftMs(), readFileSync(file, 'utf8')]).toStrictEqual([0, '']);
  await quiet.begin('1h');
  await open().end();
  expect([quiet.leftMs(), readFileSync(file, 'utf8')]).toStrictEqual([0, '']);
  await quiet.end();
});

test('an end of "until I am back" that cannot be written holds in this process, and the next return writes it', async () => {
  // The name of a draft of it is longer than file systems allow.
  const folder = join(temporaryFolder().path, 'state');
  const file = join(folder, `${'q'.repeat(230)}.json`);
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const quiet = new Quiet(file, clock);
  const entries = [
    { until: '2026-03-01T10:15:00Z', isUntilBack: false, agent: 'Codex' },
    { until: '2026-03-01T22:00:00Z', isUntilBack: true },
  ];
  mkdirSync(folder);
  writeFileSync(file, JSON.stringify(entries), { mode: 0o600 });
  await expect(quiet.back()).rejects.toThrow('ENAMETOOLONG');
  expect([quiet.leftMs('Cursor'), quiet.leftMs('Codex'), quiet.isUntilBack]).toStrictEqual([
    0,
    900_000,
    true,
  ]);
  expect(readFileSync(file, 'utf8')).toBe(JSON.stringify(entries));
  clock.advance(900_000);
  await quiet.back();
  expect([quiet.isUntilBack, readFileSync(file, 'utf8')]).toStrictEqual([false, '']);
});
