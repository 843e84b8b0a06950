import type { Hello, SessionHello } from './hello.ts';
import { ATTACH_PROTOCOL, type Answer, compareVersions } from './protocol.ts';
import { differences } from './variables.ts';

/** What a desk knows when a connection begins. */
export interface DeskState {
  readonly version: string;
  readonly settings: Readonly<Record<string, string>>;
  /** True if a person started it with `deskside http`. */
  readonly isExplicit: boolean;
  readonly hasProfile: (profile: string) => boolean;
}

/** Decides about a client. It changes nothing. */
export function answerToSession(hello: SessionHello, desk: DeskState): Answer {
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

export function refused(reason: string): Answer {
  return { kind: 'refused', reason };
}

/**
 * Never to an older version: two clients of different versions must not replace each other's desks. A desk that a person
 * starts takes over from one that a client started.
 */
export function mayReplace({ version, isExplicit }: Hello & { kind: 'replace' }, desk: DeskState): boolean {
  const comparison = compareVersions(version, desk.version);
  return comparison > 0 || (comparison === 0 && isExplicit && !desk.isExplicit);
}
