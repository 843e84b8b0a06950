import type { Scheduler } from '@deskside/core/base';
import { outputOf } from '../programs.ts';
import { sessionBus } from '../dbus/dbus-connection.ts';
import type { Quiet } from './quiet.ts';
import type { X11Session } from '../x11/address.ts';
import { connectX11, uint32s } from '../x11/x11-connection.ts';

/** Without input for this time the person is away. */
const AWAY_MS = 300_000;
/** How often it looks whether the person is back: on Windows each look takes half a second. */
const BACK_INTERVAL_MS = 15_000;

/** The extension of X that knows the time without input. */
const SCREEN_SAVER = 'MIT-SCREEN-SAVER';
const QUERY_INFO = 1;

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

/** The machine whose input counts, and its screen. */
export interface Desktop extends X11Session {
  readonly platform: NodeJS.Platform;
  /** Finds the session bus of a user whose environment does not name it. */
  readonly uid?: number | undefined;
}

/**
 * Milliseconds since the last key, click or movement of the mouse on the person's desktop, in any program.
 *
 * @returns undefined if the platform does not tell
 */
export async function idleMs(system: Desktop): Promise<number | undefined> {
  return (await idleOnX11(system)) ?? (await idleByCommand(system));
}

async function idleOnX11(system: Desktop): Promise<number | undefined> {
  if (system.platform !== 'linux') return undefined;
  using x11 = await connectX11(system);
  // On a Wayland compositor it gets the input of its own windows only.
  if (x11 === undefined || (await x11.extension('XWAYLAND')) !== undefined) return undefined;
  const opcode = await x11.extension(SCREEN_SAVER);
  const reply = opcode && (await x11.request(opcode, QUERY_INFO, uint32s(x11.root)));
  return reply ? reply.readUInt32LE(16) : undefined;
}

async function idleByCommand({ platform, env, uid }: Desktop): Promise<number | undefined> {
  const known = COMMANDS[platform];
  if (known === undefined) return undefined;
  // Most clients start servers without the variable that names it.
  const bus = platform === 'linux' ? sessionBus(env, uid) : undefined;
  const system = { env: bus === undefined ? env : { ...env, DBUS_SESSION_BUS_ADDRESS: bus.address } };
  const ms = known.read((await outputOf(system, known.command, known.args, COMMAND_TIMEOUT_MS)) ?? '');
  return Number.isFinite(ms) ? ms : undefined;
}

export interface AwayOptions {
  /** @returns undefined if the platform does not tell */
  readonly idleMs: () => Promise<number | undefined>;
  readonly clock: Pick<Scheduler, 'after' | 'now'>;
  /** While it answers false, the platform is not asked, and a pause or a sleep does not count. Default: always true. */
  readonly isNeeded?: () => boolean;
  /**
   * Called when the person goes away from the computer, and is back, also from its sleep.
   *
   * @param sleptFromMs when that sleep had not begun yet, in milliseconds since the epoch
   */
  readonly onChange: (isAway: boolean, sleptFromMs?: number) => void;
}

/** @returns a function that ends it */
export function watchAway({ idleMs: ask, clock, isNeeded = () => true, onChange }: AwayOptions): () => void {
  let isAway = false;
  let isOver = false;
  let cancelLook: (() => void) | undefined;
  // Of all clocks and counters, only the wall clock counts the sleep of a machine on every platform.
  let dueMs = clock.now().getTime();
  let slept: { readonly fromMs: number; readonly noticedMs: number } | undefined;
  const lookAfter = (waitMs: number) => {
    dueMs = clock.now().getTime() + waitMs;
    cancelLook = clock.after(waitMs, () => void look(), { isBackground: true });
  };
  const look = async () => {
    if (!isNeeded()) {
      isAway = false;
      slept = undefined;
      lookAfter(BACK_INTERVAL_MS);
      return;
    }
    // A failure is as on a platform that does not tell: it says nothing of a person who is away.
    const idle = await ask().catch(() => undefined);
    if (isOver) return;
    const wasAway = isAway;
    isAway = idle === undefined ? wasAway : idle >= AWAY_MS;
    const nowMs = clock.now().getTime();
    if (nowMs - dueMs >= AWAY_MS) slept = { fromMs: dueMs, noticedMs: nowMs };
    // A machine can wake without its person: only input since then counts.
    const isBack = slept !== undefined && idle !== undefined && !isAway && idle < nowMs - slept.noticedMs;
    const sleptFromMs = slept?.fromMs;
    const isWaiting = isAway || (slept !== undefined && idle !== undefined && !isBack);
    if (isBack || isAway) slept = undefined;
    lookAfter(isWaiting ? BACK_INTERVAL_MS : AWAY_MS - (idle ?? 0));
    if (isAway !== wasAway) onChange(isAway);
    else if (isBack) onChange(false, sleptFromMs);
  };
  void look();
  return () => {
    isOver = true;
    cancelLook?.();
  };
}

/**
 * Ends "until I am back" when the person is active after a pause.
 *
 * @returns a function that ends the watch
 */
export function watchReturn(
  quiet: Pick<Quiet, 'isUntilBack' | 'back'>,
  options: Omit<AwayOptions, 'isNeeded' | 'onChange'>,
): () => void {
  return watchAway({
    ...options,
    isNeeded: () => quiet.isUntilBack,
    onChange(isAway, sleptFromMs) {
      if (!isAway && quiet.isUntilBack) quiet.back(sleptFromMs);
    },
  });
}
