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
  readonly hasProfile: (profile: string) => boolean;
}

/** Decides about a connection. It changes nothing. */
export function answerTo(hello: Hello, desk: DeskState): Answer {
  // The desk adds its status and the link.
  if (hello.kind === 'status') return { kind: 'status', status: undefined };
  if (hello.kind === 'stop') return { kind: 'stopping' };
  if (desk.isLeaving) return { kind: 'leaving' };
  if (hello.kind === 'open') return { kind: 'opened', link: undefined };
  if (hello.kind === 'session') return answerToSession(hello, desk);
  return mayReplace(hello, desk) ? { kind: 'yield' } : refused('another desk serves this user');
}

function answerToSession(hello: SessionHello, desk: DeskState): Answer {
  if (compareVersions(hello.version, desk.version) > 0) return { kind: 'outdated' };
  if (hello.protocol > ATTACH_PROTOCOL) return refused('the desk is older and cannot serve this version');
  const different = differences(hello.settings, desk.settings);
  if (different.length > 0)
    return refused(
      `these variables differ from those of the desk: ${different.join(', ')}; ${remedyFor(different)}`,
    );
  if (hello.profile !== undefined && !desk.hasProfile(hello.profile))
    return refused(`the desk has no profile "${hello.profile}"`);
  return { kind: 'welcome' };
}

/** deskside.toml has the settings of mounts only. */
function remedyFor(names: readonly string[]): string {
  return names.some((name) => name.startsWith('DESKSIDE_'))
    ? 'set the same for all clients, then run "deskside stop"'
    : 'set them in deskside.toml instead';
}

function refused(reason: string): Answer {
  return { kind: 'refused', reason };
}

/**
 * Never to an older version: two clients of different versions must not replace each other's desks. A desk that a person
 * starts takes over from one that a client started.
 */
function mayReplace({ version, isExplicit }: Hello & { kind: 'replace' }, desk: DeskState): boolean {
  const comparison = compareVersions(version, desk.version);
  return comparison > 0 || (comparison === 0 && isExplicit && !desk.isExplicit);
}
