import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixedClock, temporaryFolder } from '../testkit/environment.ts';
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
