import type { RequestContext } from '@deskside/core';
import { type ApprovalLevel, LEVELS, type Profiles } from '../profiles/profile.ts';
import { strictest } from './words.ts';

/** Whose calls ask the person, as deskside.toml says. */
export interface Levels {
  /** For every client on stdio. Default `ask`. */
  readonly desk?: ApprovalLevel | undefined;
  readonly profiles: Profiles;
  /** By the name of a client, in lowercase: it proves nothing, so they only make it stricter. */
  readonly clients: ReadonlyMap<string, ApprovalLevel>;
}

export type LevelCaller = Pick<RequestContext, 'transport' | 'principal' | 'caller'>;

/** Under this name the level of a token is among the claims of its principal. */
export const LEVEL_CLAIM = 'approvals';

/** On stdio the stricter one of desk and profile counts. */
export const stdioLevel = (desk: ApprovalLevel = 'ask', ofProfile?: ApprovalLevel): ApprovalLevel =>
  strictest(desk, ofProfile);

/** @param route of the profile whose address the caller has chosen */
export function levelOf(
  { transport, principal, caller }: LevelCaller,
  { desk, profiles, clients }: Levels,
  route: ApprovalLevel | undefined,
): ApprovalLevel {
  const { profile, claims, token } = principal;
  const ofProfile = profile === undefined ? undefined : profiles.get(profile)?.approvals;
  const ofToken = LEVELS.find((level) => level === claims?.[LEVEL_CLAIM]);
  const own = transport === 'stdio' ? stdioLevel(desk, ofProfile) : (ofToken ?? ofProfile ?? 'ask');
  const names = [token, caller.client?.name, caller.known?.id].map((name) => name?.toLowerCase() ?? '');
  return strictest(own, route, ...names.map((name) => clients.get(name)));
}
