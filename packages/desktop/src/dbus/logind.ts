import { connectDBus, type DBusConnection } from './dbus-connection.ts';
import { listed } from './message.ts';

const LOGIND = 'org.freedesktop.login1';
const SESSION = `${LOGIND}.Session`;
const SCREENS: ReadonlySet<unknown> = new Set(['x11', 'wayland', 'mir']);

/** A login of this user at a screen of this machine. */
export interface LoginSession {
  readonly id: string;
  /** The X display; undefined if logind does not know it. */
  readonly display: string | undefined;
  /** False while another user, or a text console, has the screen. */
  readonly isActive: boolean;
  /** As screen lockers of GNOME, KDE and others report it. */
  readonly isLocked: boolean;
}

/**
 * The logins of a user at the screens of this machine.
 *
 * @param bus the socket of the system bus: no variable names it, because that of an agent would count
 * @returns undefined without logind
 */
export async function loginSessions(
  bus: string,
  userId: number,
): Promise<readonly LoginSession[] | undefined> {
  try {
    using connection = await connectDBus({ address: `unix:path=${bus}`, userId });
    const manager = { destination: LOGIND, path: '/org/freedesktop/login1', interface: `${LOGIND}.Manager` };
    const [all] = await connection.call({ ...manager, member: 'ListSessions' });
    const own = listed(all)
      .map(listed)
      .filter(([, uid]) => uid === userId);
    const sessions = await Promise.all(own.map(([, , , , path]) => sessionAt(connection, String(path))));
    return sessions.flatMap((session) => session ?? []);
  } catch {
    // Most machines without a screen have none.
    return undefined;
  }
}

/** @returns undefined for a session that is remote, is a terminal, or has ended meanwhile */
async function sessionAt(connection: DBusConnection, path: string): Promise<LoginSession | undefined> {
  const properties = { path, interface: 'org.freedesktop.DBus.Properties', member: 'GetAll' };
  const call = connection.call({ destination: LOGIND, ...properties }, 's', [SESSION]);
  // A session that has ended meanwhile.
  const answer = await call.catch(() => undefined);
  const about = new Map(listed(answer?.[0]).map((entry) => [listed(entry)[0], listed(entry)[1]]));
  if (!SCREENS.has(about.get('Type')) || about.get('Remote') !== false) return undefined;
  const display = about.get('Display');
  return {
    id: String(about.get('Id')),
    display: typeof display === 'string' && display !== '' ? display : undefined,
    isActive: about.get('Active') === true,
    isLocked: about.get('LockedHint') === true,
  };
}
