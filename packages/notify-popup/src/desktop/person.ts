import { readdirSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { DISPLAY_VARIABLES } from '@deskside/core/base';
import { type ClientDesktop, type LoginSession, loginSessions } from '@deskside/desktop';
import { findDisplay } from './display.ts';
import { candidates, isUsable } from './hidden-display.ts';
import { currentSystem, type SystemInfo } from './system.ts';

/** The graphical login session of the user of this process. */
export interface PersonsSession {
  /** For people: `:0`. */
  readonly display: string;
  /** Undefined if the display does not answer. */
  readonly desktop: ClientDesktop | undefined;
}

/** No program of an agent is named so. They run as long as a desktop does, and have its display in their environment. */
const DESKTOP_PROGRAM =
  /^(?:gnome-session|gnome-shell|gsd-|gjs$|kwin|plasmashell|kded|ksmserver|xfce4-session|xfwm4|xfdesktop|cinnamon|mate-session|marco|lxsession|lxqt-session|budgie-wm|muffin|metacity|mutter|openbox|fluxbox|icewm|i3$|awesome|bspwm|dwm|xmonad|sway|Hyprland|labwc|wayfire|river|niri|weston|xdg-desktop-por)/;
/** Programs are looked for here, whatever PATH says. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Where the person decides: looked up at each question, because people log in and out, and never taken from the environment of a
 * program, because an agent chooses that of the programs it starts. Tests replace it.
 */
export const personsSession = {
  /** @returns undefined if this user has no graphical login session on this machine */
  find: (): Promise<PersonsSession | undefined> => findPersonsSession(currentSystem()),
};

/** As `personsSession.find`. @param processes where the kernel lists them */
export async function findPersonsSession(
  given: SystemInfo,
  processes = '/proc',
): Promise<PersonsSession | undefined> {
  const system = { ...given, home: homeOf(given), env: { PATH: SYSTEM_PATH } };
  if (system.platform !== 'linux') {
    // On Windows only a variable of the system tells a service from a desktop.
    const env = system.platform === 'win32' ? given.env : system.env;
    const search = await findDisplay({ ...system, env });
    if ('tried' in search) return undefined;
    return { display: search.display, desktop: { pid: system.processId, env: {} } };
  }
  const sessions = await loginSessions(system.systemBus, system.uid);
  const session = sessions?.find(({ isActive }) => isActive) ?? sessions?.[0];
  const all = desktopProcesses(processes, system.uid);
  const own = session === undefined ? all : all.filter(({ env }) => isOf(session, env));
  for (const { pid, env } of own) if (await answers(system, env, false)) return found({ pid, env });
  for (const { variables: env } of await candidates(system, session)) {
    const isFound = await answers(system, env, session === undefined);
    if (isFound) return found({ pid: system.processId, env });
  }
  const [first] = own;
  if (session !== undefined)
    return { display: session.display ?? `session ${session.id}`, desktop: undefined };
  return first && { display: nameOf(first.env), desktop: undefined };
}

function isOf({ id, display }: LoginSession, env: ClientDesktop['env']): boolean {
  return env['XDG_SESSION_ID'] === id && (display === undefined || env['DISPLAY'] === display);
}

function found(desktop: ClientDesktop): PersonsSession {
  return { display: nameOf(desktop.env), desktop };
}

function nameOf({ DISPLAY, WAYLAND_DISPLAY = '' }: ClientDesktop['env']): string {
  return DISPLAY ?? WAYLAND_DISPLAY;
}

function answers(
  system: SystemInfo,
  env: ClientDesktop['env'],
  needsWindowManager: boolean,
): Promise<boolean> {
  const runtimeFolder = env['XDG_RUNTIME_DIR'] ?? system.runtimeFolder;
  return isUsable({ ...system, runtimeFolder, env: { ...system.env, ...env } }, needsWindowManager);
}

/** Those of one user that name a display, the earliest first: an agent starts its own later. */
function desktopProcesses(folder: string, uid: number) {
  const ids = readdirSync(folder).filter((name) => /^\d+$/.test(name));
  const all = ids.flatMap((id) => {
    try {
      const place = `${folder}/${id}`;
      if (statSync(place).uid !== uid) return [];
      if (!DESKTOP_PROGRAM.test(readFileSync(`${place}/comm`, 'utf8').trim())) return [];
      const stat = readFileSync(`${place}/stat`, 'latin1');
      // In the unit of the kernel.
      const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
      const env = displayVariables(readFileSync(`${place}/environ`, 'utf8'));
      return nameOf(env) === '' ? [] : [{ pid: Number(id), start, env }];
    } catch {
      // It has ended, or belongs to another user.
      return [];
    }
  });
  return all.toSorted((a, b) => a.start - b.start);
}

function displayVariables(environ: string): Readonly<Record<string, string>> {
  const all = environ.split('\0').map((line): [string, string] => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });
  return Object.fromEntries(all.filter(([name, value]) => DISPLAY_VARIABLES.includes(name) && value !== ''));
}

/** Of the user's account, not of a variable. */
function homeOf({ home }: SystemInfo): string {
  try {
    return userInfo().homedir;
  } catch {
    return home;
  }
}
