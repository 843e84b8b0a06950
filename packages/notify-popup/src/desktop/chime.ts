import { fileURLToPath } from 'node:url';
import { outputOf } from '@deskside/desktop';
import type { SystemInfo } from './system.ts';

const PLAYER_TIMEOUT_MS = 2000;

/** Two tones of 0.22 s in all: 800 and 1,000 Hz at the start, 1,000 and 800 Hz at the end. */
export type Chime = 'start' | 'end';

/** Plays a chime with the first player that works. Never rejects: the popup does not depend on its sound. */
export async function playChime(chime: Chime, system: SystemInfo): Promise<void> {
  const file = fileURLToPath(new URL(`../desktop/sounds/${chime}.wav`, import.meta.url));
  for (const { command, args } of playersFor(system.platform, file)) {
    if ((await outputOf(system, command, args, PLAYER_TIMEOUT_MS)) !== undefined) return;
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
