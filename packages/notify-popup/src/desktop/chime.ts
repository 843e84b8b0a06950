import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf } from '@deskside/desktop';
import { openRuntimeFolder, type SystemInfo } from './system.ts';

const PLAYER_TIMEOUT_MS = 2000;
const SAMPLE_RATE_HZ = 16_000;
const CHIME_SECONDS = 0.22;
const FADE_SECONDS = 0.03;
/** Part of the maximum. */
const AMPLITUDE = 0.3;
const HEADER_BYTES = 44;
const TONES_HZ = { start: [800, 1000], end: [1000, 800] } as const;

export type Chime = keyof typeof TONES_HZ;

/** Plays a chime with the first player that works. Never rejects: the popup does not depend on its sound. */
export async function playChime(chime: Chime, system: SystemInfo): Promise<void> {
  try {
    const file = join(await openRuntimeFolder(system), `chime-${chime}.wav`);
    await writeFile(file, chimeWave(chime), { mode: 0o600 });
    for (const { command, args } of playersFor(system.platform, file)) {
      if ((await outputOf(system, command, args, PLAYER_TIMEOUT_MS)) !== undefined) return;
    }
  } catch {
    // No sound.
  }
}

/** The commands to try, in order. */
export function playersFor(platform: NodeJS.Platform, file: string) {
  if (platform === 'darwin') return [{ command: 'afplay', args: [file] }];
  if (platform === 'win32') {
    const quoted = `'${file.replaceAll("'", "''")}'`;
    const script = `(New-Object Media.SoundPlayer ${quoted}).PlaySync()`;
    return [{ command: 'powershell', args: ['-NoProfile', '-NonInteractive', '-Command', script] }];
  }
  return [
    { command: 'pw-play', args: [file] },
    { command: 'paplay', args: [file] },
    { command: 'aplay', args: ['-q', file] },
    { command: 'canberra-gtk-play', args: [`--file=${file}`] },
  ];
}

/** Two short tones, rising at the start and falling at the end, as a 16-bit mono WAV file. */
export function chimeWave(chime: Chime): Buffer {
  const samples = Buffer.concat(TONES_HZ[chime].map(tone));
  return Buffer.concat([waveHeader(samples.length), samples]);
}

/** Fades in and out, so that it does not click. */
function tone(hertz: number): Buffer {
  const count = Math.round((CHIME_SECONDS * SAMPLE_RATE_HZ) / 2);
  const samples = Buffer.alloc(2 * count);
  for (let index = 0; index < count; index += 1) {
    const seconds = index / SAMPLE_RATE_HZ;
    const fade = Math.min(1, seconds / FADE_SECONDS, (count - index) / SAMPLE_RATE_HZ / FADE_SECONDS);
    const level = Math.sin(2 * Math.PI * hertz * seconds) * fade * AMPLITUDE;
    samples.writeInt16LE(Math.round(level * 32_767), 2 * index);
  }
  return samples;
}

/** RIFF with one `fmt` chunk (PCM) and one `data` chunk. */
function waveHeader(dataLength: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(HEADER_BYTES - 8 + dataLength, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(SAMPLE_RATE_HZ, 24);
  bytes.writeUInt32LE(2 * SAMPLE_RATE_HZ, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(dataLength, 40);
  return bytes;
}
