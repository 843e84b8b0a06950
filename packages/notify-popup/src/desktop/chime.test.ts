import { readFileSync } from 'node:fs';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { playChime, playersFor } from './chime.ts';

test.each([
  ['start', 800, 1000],
  ['end', 1000, 800],
] as const)('the %s chime changes from %i to %i Hz', (chime, first, second) => {
  const wave = readFileSync(new URL(`sounds/${chime}.wav`, import.meta.url));
  const samples = new Int16Array(Uint8Array.from(wave.subarray(44)).buffer);
  const half = samples.length / 2;
  expect(Math.abs(hertz(samples.subarray(0, half)) - first)).toBeLessThan(20);
  expect(Math.abs(hertz(samples.subarray(half)) - second)).toBeLessThan(20);
});

test('a system without a player plays no chime and reports no error', async () => {
  const folder = temporaryFolder();
  const env = { PATH: folder, XDG_RUNTIME_DIR: folder };
  await expect(playChime('end', testSystem({ env }))).resolves.toBeUndefined();
});

test('a path with an apostrophe stays one string in the PowerShell command', () => {
  expect(playersFor('win32', String.raw`C:\it's\chime.wav`)[0]?.args.at(-1)).toBe(
    String.raw`(New-Object Media.SoundPlayer 'C:\it''s\chime.wav').PlaySync()`,
  );
});

/** Counts how often the level rises through zero. */
function hertz(part: Int16Array): number {
  const crossings = part.filter((level, index) => level > 0 && (part[index - 1] ?? 1) <= 0).length;
  return crossings / (part.length / 16_000);
}
