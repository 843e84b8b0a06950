import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { machineLike } from '../testing/machine.ts';
import { chimeSound } from './chime-sound.ts';
import { playChime, players } from './play-chime.ts';

test.each(['start', 'end'] as const)('the %s chime is a WAV of a fifth of a second', (when) => {
  const sound = chimeSound(when);
  expect(sound.toString('latin1', 0, 4)).toBe('RIFF');
  expect(sound.toString('latin1', 8, 16)).toBe('WAVEfmt ');
  expect(sound.readUInt32LE(4)).toBe(sound.length - 8);
  expect(sound.readUInt32LE(40)).toBe(sound.length - 44);
  const seconds = (sound.length - 44) / sound.readUInt32LE(28);
  expect(seconds).toBeCloseTo(0.22, 2);
});

test.each([
  ['start', 800, 1000],
  ['end', 1000, 800],
] as const)('the %s chime goes from %i to %i Hz', (when, first, second) => {
  const sound = chimeSound(when);
  const samples = new Int16Array(Uint8Array.from(sound.subarray(44)).buffer);
  const half = samples.length / 2;
  expect(Math.abs(hertz(samples.subarray(0, half)) - first)).toBeLessThan(20);
  expect(Math.abs(hertz(samples.subarray(half)) - second)).toBeLessThan(20);
});

test('the first player there is plays, and one that fails lets the next try', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
  const player = (name: string, script: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  player('paplay', 'exit 1');
  player('aplay', `echo "$@" > ${folder}/played`);
  player('canberra-gtk-play', `echo late > ${folder}/played`);
  const env = { PATH: `${folder}:/bin`, XDG_RUNTIME_DIR: join(folder, 'run') };
  await playChime('start', machineLike({ env, uid: process.getuid?.() ?? -1 }));
  const played = readFileSync(join(folder, 'played'), 'utf8').trim();
  expect(played).toBe(`-q ${join(folder, 'run/deskside/chime-start.wav')}`);
  expect(readFileSync(played.slice('-q '.length))).toStrictEqual(chimeSound('start'));
});

test('no player is no failure', async () => {
  const folder = temporaryFolder();
  await expect(
    playChime('end', machineLike({ env: { PATH: folder, XDG_RUNTIME_DIR: folder } })),
  ).resolves.toBeUndefined();
});

test('a path can’t break out of the command on Windows', () => {
  expect(players('win32', String.raw`C:\it's\chime.wav`)[0]?.args.at(-1)).toBe(
    String.raw`(New-Object Media.SoundPlayer 'C:\it''s\chime.wav').PlaySync()`,
  );
});

/** By counting how often the level rises through zero. */
function hertz(part: Int16Array): number {
  const crossings = part.filter((level, index) => level > 0 && (part[index - 1] ?? 1) <= 0).length;
  return crossings / (part.length / 16_000);
}
