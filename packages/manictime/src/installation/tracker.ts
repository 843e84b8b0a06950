import { execFile } from 'node:child_process';
import { platform } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Tracker {
  readonly running: boolean;
  readonly processId?: number;
}

/** Whether ManicTime runs; undefined where that can't be asked, as it is only known for Windows. */
export async function findTracker(): Promise<Tracker | undefined> {
  if (platform() !== 'win32') return undefined;
  try {
    const filter = ['/FI', 'IMAGENAME eq ManicTime.exe', '/FO', 'CSV', '/NH'];
    const { stdout } = await run('tasklist.exe', filter, { windowsHide: true, timeout: 5000 });
    return trackerIn(stdout);
  } catch {
    return undefined;
  }
}

/** @param output of `tasklist /FO CSV /NH` */
export function trackerIn(output: string): Tracker {
  const processId = /^"ManicTime\.exe","(\d+)"/im.exec(output)?.[1];
  return processId === undefined ? { running: false } : { running: true, processId: Number(processId) };
}
