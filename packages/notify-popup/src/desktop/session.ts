import { getOrAdd } from '@deskside/core/base';
import { findDisplay } from './display.ts';
import type { DisplaySearch } from './hidden-display.ts';
import type { ClientDesktop } from '@deskside/desktop';
import { type SystemInfo, systemOfClient } from './system.ts';

/** The desktop session that popups are shown in. */
export interface DesktopSession {
  /** The system, with the variables of the display that was found last. */
  readonly system: SystemInfo;
  /** Looks for a display. Displays come and go while a server runs, so each popup looks again. */
  find(): Promise<DisplaySearch>;
}

/** @param isForced the person has chosen the presenter */
export function desktopSession(system: SystemInfo, isForced: boolean): DesktopSession {
  let current = system;
  return {
    get system() {
      return current;
    },
    async find() {
      const search = await findDisplay(system, isForced);
      // What waits still belongs on the display that was found before.
      if ('tried' in search) return search;
      // On Windows the names of variables have no fixed case, and only the original object knows that.
      const isExtended = Object.keys(search.variables).length > 0;
      current = isExtended ? { ...system, env: { ...system.env, ...search.variables } } : system;
      return search;
    },
  };
}

/** The desktop session of a client that another process serves; of this process if there is none. */
export type SessionOf = (client?: ClientDesktop) => DesktopSession;

/** @param isForced the person has chosen the presenter */
export function desktopSessions(system: SystemInfo, isForced: boolean): SessionOf {
  const own = desktopSession(system, isForced);
  const others = new WeakMap<ClientDesktop, DesktopSession>();
  return (client) => {
    if (client === undefined) return own;
    return getOrAdd(others, client, () => desktopSession(systemOfClient(system, client), isForced));
  };
}
