import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { randomOf, randomSeeds, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { whileLocked } from './lock.ts';

/** Counts in a file, and prints each step. */
const COUNTER = `
  import { readFileSync, writeFileSync } from 'node:fs';
  import { whileLocked } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))};
  const [file, steps] = process.argv.slice(1);
  const work = async () => {
    const before = Number(readFileSync(file, 'utf8'));
    await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(file, String(before + 1));
    process.stdout.write('+');
  };
  for (let step = 0; step < Number(steps); step += 1) await whileLocked(file, work, { waitMs: 60_000 });`;

function counter(file: string, steps: number) {
  const args = ['--input-type=module', '--eval', COUNTER, file, String(steps)];
  return startProgram({ command: process.execPath, args });
}

test('of four programs that count in one file none loses a step', async () => {
  const file = join(temporaryFolder(), 'count');
  writeFileSync(file, '0');
  const programs = Array.from({ length: 4 }, () => counter(file, 25));
  for (const { exited } of programs) expect(await exited).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('100');
});

test('a killed program holds up nobody: the next one works at once, and nothing of it stays', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'count');
  for (const seed of randomSeeds(3, 400)) {
    writeFileSync(file, '0');
    await using killed = counter(file, 100_000);
    await killed.printed(/\+/);
    // A random moment of its work.
    const turns = randomOf(seed)(2000);
    for (let turn = 0; turn < turns; turn += 1) await immediate();
    killed.child.kill('SIGKILL');
    await killed.exited;
    expect(await whileLocked(file, async () => 'free', { waitMs: 0 })).toBe('free');
    expect(readdirSync(folder)).toStrictEqual(['count']);
  }
});
