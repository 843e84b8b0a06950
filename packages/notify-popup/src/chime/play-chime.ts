import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../machine/machine.ts';
import { runtimeFolder } from '../machine/runtime-folder.ts';
import { chimeSound } from './chime-sound.ts';

/** Milliseconds after which a player is killed. */
const PATIENCE = 2000;

/** Plays a chime with the first player that this system has. Never rejects: a popup without its sound is a popup. */
export async function playChime(when: 'start' | 'end', machine: Machine): Promise<void> {
  try {
    const file = join(await runtimeFolder(machine), `chime-${when}.wav`);
    await writeFile(file, chimeSound(when), { mode: 0o600 });
    for (const { command, args } of players(machine.platform, file)) {
      if (await played(command, args, machine)) return;
    }
  } catch {
    // As if no player were there.
  }
}

export interface Player {
  readonly command: string;
  readonly args: readonly string[];
}

export function players(platform: NodeJS.Platform, file: string): Player[] {
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

function played(command: string, args: readonly string[], { env }: Machine): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: PATIENCE, env: { ...env } }, (error) => resolve(error === null));
  });
}
