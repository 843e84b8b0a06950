import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { chimeWave, playChime, playersFor } from './chime.ts';

test.each(['start', 'end'] as const)('the %s chime is a WAV file of 0.22 seconds', (chime) => {
  const wave = chimeWave(chime);
  expect(wave.toString('latin1', 0, 4)).toBe('RIFF');
  expect(wave.toString('latin1', 8, 16)).toBe('WAVEfmt ');
  expect(wave.readUInt32LE(4)).toBe(wave.length - 8);
  expect(wave.readUInt32LE(40)).toBe(wave.length - 44);
  const seconds = (wave.length - 44) / wave.readUInt32LE(28);
  expect(seconds).toBeCloseTo(0.22, 2);
});

test.each([
  ['start', 800, 1000],
  ['end', 1000, 800],
] as const)('the %s chime changes from %i to %i Hz', (chime, first, second) => {
  const wave = chimeWave(chime);
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
