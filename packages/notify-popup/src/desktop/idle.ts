import type { Scheduler } from '@deskside/core/base';
import { connectX11 } from '../x11/connection.ts';
import { isXwayland, screenSaver } from '../x11/screen-saver.ts';
import { outputOf } from './command.ts';
import type { SystemInfo } from './system.ts';

/** A question to PowerShell takes about half a second. */
const COMMAND_TIMEOUT_MS = 3000;
const NANOSECONDS_PER_MS = 1e6;

interface IdleCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** @returns milliseconds; NaN if the output does not say */
  readonly read: (output: string) => number;
}

/** The subtraction is of unsigned 32-bit numbers, as the system counts. */
const LAST_INPUT = `
Add-Type -Namespace Deskside -Name Input -MemberDefinition '
public struct Info { public uint Size; public uint Time; }
[DllImport("user32.dll")] public static extern bool GetLastInputInfo(ref Info info);
public static uint IdleMs() {
  Info info = new Info();
  info.Size = 8;
  return GetLastInputInfo(ref info) ? unchecked((uint)System.Environment.TickCount - info.Time) : 0;
}';
[Deskside.Input]::IdleMs()`;

const COMMANDS: Partial<Record<NodeJS.Platform, IdleCommand>> = {
  darwin: {
    command: 'ioreg',
    args: ['-r', '-c', 'IOHIDSystem', '-d', '1'],
    read: (output) => Number(/"HIDIdleTime" = (\d+)/.exec(output)?.[1]) / NANOSECONDS_PER_MS,
  },
  win32: {
    command: 'powershell',
    args: ['-NoProfile', '-NonInteractive', '-Command', LAST_INPUT],
    read: (output) => Number(/^\s*(\d+)\s*$/.exec(output)?.[1]),
  },
  // GNOME. On Wayland no other program may know.
  linux: {
    command: 'gdbus',
    args: [
      'call',
      '--session',
      '--timeout=1',
      '--dest=org.gnome.Mutter.IdleMonitor',
      '--object-path=/org/gnome/Mutter/IdleMonitor/Core',
      '--method=org.gnome.Mutter.IdleMonitor.GetIdletime',
    ],
    read: (output) => Number(/^\(uint64 (\d+),\)/.exec(output)?.[1]),
  },
};

/**
 * Milliseconds since the last key, click or movement of the mouse on the person's desktop, in any program.
 *
 * @returns undefined if the platform does not tell
 */
export async function idleMs(system: SystemInfo): Promise<number | undefined> {
  return (await idleOnX11(system)) ?? (await idleByCommand(system));
}

async function idleOnX11(system: SystemInfo): Promise<number | undefined> {
  if (system.platform !== 'linux') return undefined;
  using x11 = await connectX11(system);
  if (x11 === undefined || (await isXwayland(x11))) return undefined;
  return (await screenSaver(x11))?.idleMs;
}

async function idleByCommand(system: SystemInfo): Promise<number | undefined> {
  const known = COMMANDS[system.platform];
  if (known === undefined) return undefined;
  const ms = known.read((await outputOf(system, known.command, known.args, COMMAND_TIMEOUT_MS)) ?? '');
  return Number.isFinite(ms) ? ms : undefined;
}

export interface InputOptions extends Pick<PauseOptions, 'idleMs' | 'clock'> {
  /** How often it asks. */
  readonly intervalMs: number;
  readonly signal: AbortSignal;
}

/**
 * Waits for the next input of the person.
 *
 * @returns false if the platform does not tell, or after `signal`
 */
export async function nextInput({ idleMs: ask, intervalMs, signal, clock }: InputOptions): Promise<boolean> {
  const sinceMs = clock.elapsedMs();
  while (!signal.aborted) {
    const idle = await ask();
    if (idle === undefined || signal.aborted) return false;
    if (idle < clock.elapsedMs() - sinceMs) return true;
    await new Promise<void>((resolve) => {
      clock.after(intervalMs, resolve, { isBackground: true });
    });
  }
  return false;
}

export interface PauseOptions {
  readonly idleMs: () => Promise<number | undefined>;
  /** Without input for this time the person pauses. */
  readonly quietMs: number;
  readonly atMostMs: number;
  readonly signal?: AbortSignal;
  readonly clock: Scheduler;
}

/**
 * Waits for a pause of the person's input: at most for `atMostMs`, not after `signal`, and not at all if the platform
 * does not tell.
 */
export async function pauseOfInput({
  idleMs: ask,
  quietMs,
  atMostMs,
  signal,
  clock,
}: PauseOptions): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  let cancelNext: (() => void) | undefined;
  const cancelLimit = clock.after(atMostMs, resolve);
  signal?.addEventListener('abort', () => resolve(), { once: true });
  const look = async () => {
    const idle = await ask();
    if (isOver) return;
    if (idle === undefined || idle >= quietMs) resolve();
    else cancelNext = clock.after(quietMs - idle, () => void look());
  };
  void look();
  await promise;
  isOver = true;
  cancelNext?.();
  cancelLimit();
}
