import type { Hello, SessionHello } from './hello.ts';
import { ATTACH_PROTOCOL, type Answer, compareVersions } from './protocol.ts';
import { differences } from './variables.ts';

/** What a desk knows when a connection begins. */
export interface DeskState {
  readonly version: string;
  readonly settings: Readonly<Record<string, string>>;
  /** True if a person started it with `deskside http`. */
  readonly isExplicit: boolean;
  /** True while it ends or hands over: it takes no new session. */
  readonly isLeaving: boolean;
  /** True while another desk prepares to take over. */
  readonly isYielding: boolean;
  /** When it took over from another desk, on `elapsedMs` of the clock; undefined if it did not. */
  readonly tookOverAt: number | undefined;
  readonly hasProfile: (profile: string) => boolean;
}

const HOUR_MS = 60 * 60 * 1000;

/** Decides about a connection. It changes nothing. @param elapsedMs of the clock */
export function answerTo(hello: Hello, desk: DeskState, elapsedMs: number): Answer {
  switch (hello.kind) {
    case 'session':
      return desk.isLeaving ? { kind: 'leaving' } : answerToSession(hello, desk, elapsedMs);
    case 'replace':
      return mayReplace(hello, desk, elapsedMs)
        ? { kind: 'yield' }
        : desk.isLeaving
          ? { kind: 'leaving' }
          : refused('another desk serves this user');
    case 'stop':
      return { kind: 'stopping' };
    case 'open':
      // The desk adds the link.
      return desk.isLeaving ? { kind: 'leaving' } : { kind: 'opened', link: undefined };
    case 'status':
      // The desk adds its status.
      return { kind: 'status', status: undefined };
  }
}

function answerToSession(hello: SessionHello, desk: DeskState, elapsedMs: number): Answer {
  const isNewer = compareVersions(hello.version, desk.version) > 0;
  if (isNewer && mayReplace({ ...hello, isExplicit: false }, desk, elapsedMs)) return { kind: 'outdated' };
  if (hello.protocol > ATTACH_PROTOCOL) return refused('the desk is older and cannot serve this version');
  const different = differences(hello.settings, desk.settings);
  if (different.length > 0)
    return refused(`these variables differ from those of the desk: ${different.join(', ')}`);
  if (hello.profile !== undefined && !desk.hasProfile(hello.profile))
    return refused(`the desk has no profile "${hello.profile}"`);
  return { kind: 'welcome' };
}

function refused(reason: string): Answer {
  return { kind: 'refused', reason };
}

interface Successor {
  readonly version: string;
  readonly isExplicit: boolean;
}

/**
 * Never to an older version, and at most once an hour: two clients of different versions must not replace each other's
 * desks. A desk that a person starts takes over from one that a client started.
 */
function mayReplace({ version, isExplicit }: Successor, desk: DeskState, elapsedMs: number): boolean {
  if (desk.isLeaving || desk.isYielding) return false;
  const comparison = compareVersions(version, desk.version);
  if (comparison < 0) return false;
  if (isExplicit && !desk.isExplicit) return true;
  if (comparison === 0) return false;
  return desk.tookOverAt === undefined || elapsedMs - desk.tookOverAt >= HOUR_MS;
}
