import { once } from 'node:events';
import { lstat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connectX11, type LoginSession, loginSessions } from '@deskside/desktop';
import { namesIn } from '@deskside/core/base';
import { hasWindowManager } from '../x11/windows.ts';
import type { SystemInfo } from './system.ts';

const PROBE_TIMEOUT_MS = 300;
const MAX_DISPLAYS = 20;

/** The variables that programs on a display need; undefined for one that they must not have. */
type DisplayVariables = Readonly<Record<string, string | undefined>>;

export type DisplaySearch =
  /** `why` continues a sentence that begins with the display. */
  | { readonly display: string; readonly why: string; readonly variables: DisplayVariables }
  /** One sentence per place where a display was looked for. */
  | { readonly tried: readonly string[] };

/**
 * Looks for the display of the user's own session, for a server that got no display variables (many hosts hand on HOME,
 * PATH and little else), or those of a display that is gone. logind says whether a person of this user sits at a
 * display; without logind a window manager must answer on it.
 *
 * @param dead one sentence per display that is named and does not answer
 */
export async function findHiddenDisplay(
  { env: { DISPLAY, WAYLAND_DISPLAY, ...env }, ...rest }: SystemInfo,
  dead: readonly string[],
  isForced: boolean,
): Promise<DisplaySearch> {
  const system = { ...rest, env };
  const tried = dead.length > 0 ? [...dead] : ['DISPLAY and WAYLAND_DISPLAY are not set.'];
  if (!isForced && (await system.ancestors()).some((name) => name.startsWith('sshd'))) {
    const remedy = 'Only an explicit DISPLAY or --presenter shows popups at its screen.';
    return { tried: [...tried, `This server runs in a login over SSH. ${remedy}`] };
  }
  const sessions = await loginSessions(system.systemBus, system.uid);
  const session = sessions?.find(({ isActive, isLocked }) => isActive && !isLocked);
  if (sessions !== undefined && session === undefined) {
    return {
      tried: [...tried, 'logind knows no session of this user that is active, local and not locked.'],
    };
  }
  const why =
    session === undefined
      ? 'a window manager answers on it'
      : `logind names session ${session.id}, which is active, local and not locked`;
  const unusable = new Set<string>();
  for (const { display, variables } of await candidates(system, session)) {
    if (await isUsable({ ...system, env: { ...system.env, ...variables } }, session === undefined)) {
      const names = dead.length > 0 ? { DISPLAY: undefined, WAYLAND_DISPLAY: undefined } : {};
      return { display, why, variables: { ...names, ...variables, ...(await busOf(system)) } };
    }
    unusable.add(display);
  }
  const found =
    unusable.size === 0
      ? `No display was found in ${system.x11Folder} and ${system.runtimeFolder}.`
      : `These displays do not answer, have no window manager, or need another cookie: ${[...unusable].join(', ')}.`;
  return { tried: [...tried, found] };
}

/** The display that logind names, else all displays of this machine; X11 first, because its windows can stay on top. */
export async function candidates(system: SystemInfo, session: LoginSession | undefined) {
  const { runtimeFolder, x11Folder } = system;
  const folder = (await isOwn(runtimeFolder, system)) ? runtimeFolder : undefined;
  const common = {
    ...(folder === undefined ? {} : { XDG_RUNTIME_DIR: folder }),
    ...(session === undefined ? {} : { XDG_SESSION_ID: session.id }),
  };
  const named = session?.display;
  const x11 =
    named === undefined ? matchesIn(x11Folder, /^X\d+$/).map((name) => `:${name.slice(1)}`) : [named];
  const authorities = [undefined, ...(await authorityFiles(folder, system))];
  const wayland = folder === undefined ? [] : matchesIn(folder, /^wayland-\d+$/);
  return [
    ...x11.slice(0, MAX_DISPLAYS).flatMap((display) =>
      authorities.map((file) => ({
        display,
        variables: { ...common, DISPLAY: display, ...(file === undefined ? {} : { XAUTHORITY: file }) },
      })),
    ),
    ...wayland.map((name) => ({ display: name, variables: { ...common, WAYLAND_DISPLAY: name } })),
  ];
}

/** Where display managers and compositors put the cookie of a session, besides the usual file. */
async function authorityFiles(folder: string | undefined, { env, home }: SystemInfo): Promise<string[]> {
  const usual = env['XAUTHORITY'] === undefined ? [] : [join(home, '.Xauthority')];
  if (folder === undefined) return usual;
  const names = matchesIn(folder, /^(?:\.mutter-Xwaylandauth\..+|xauth_.+|Xauthority)$/);
  return [...usual, ...names.map((name) => join(folder, name)), join(folder, 'gdm/Xauthority')];
}

export async function isUsable(system: SystemInfo, needsWindowManager: boolean): Promise<boolean> {
  const { DISPLAY: display, WAYLAND_DISPLAY: wayland } = system.env;
  if (display === undefined) return accepts(join(system.runtimeFolder, wayland ?? ''));
  using x11 = await connectX11(system);
  return x11 !== undefined && (!needsWindowManager || (await hasWindowManager(x11)));
}

/** Theme and sound of the session need its message bus. */
async function busOf({ runtimeFolder, env }: SystemInfo): Promise<DisplayVariables> {
  const path = join(runtimeFolder, 'bus');
  const isMissing = env['DBUS_SESSION_BUS_ADDRESS'] === undefined;
  return isMissing && (await accepts(path)) ? { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` } : {};
}

function matchesIn(folder: string, pattern: RegExp): string[] {
  return namesIn(folder)
    .filter((name) => pattern.test(name))
    .toSorted();
}

async function isOwn(folder: string, { uid }: SystemInfo): Promise<boolean> {
  // A folder that does not exist is not ours.
  const stats = await lstat(folder).catch(() => undefined);
  return stats?.isDirectory() === true && stats.uid === uid;
}

/** True if a program listens on this socket. */
export async function accepts(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}
