import { escapeInvisible } from '@deskside/core/text';
import { RejectedCall } from './rejected-call.ts';

/** One user may act for the delegated users: a backend for the users that it authenticates. */
export interface Delegation {
  readonly user: string;
  readonly delegatedUsers: ReadonlySet<string>;
}

/** @returns the user that `user_id` names, or undefined if the principal may not act for that user */
export function authorizedUser(
  userId: unknown,
  principal: string,
  { user, delegatedUsers }: Delegation,
): string | undefined {
  if (userId === 'me' || userId === principal) return principal;
  const isDelegated = typeof userId === 'string' && principal === user && delegatedUsers.has(userId);
  return isDelegated ? userId : undefined;
}

/** @param principal the user of the caller, whom the answer names: the caller may know that id */
export function userNotFound(principal: string): RejectedCall {
  const own = JSON.stringify(escapeInvisible(principal));
  const next = `You act for the user ${own}: pass user_id "me" or ${own}. For another user, the person sets --user (TODO_USER_ID) to that id, or names it in --delegated-users (TODO_DELEGATED_USERS).`;
  return new RejectedCall('user_not_found', { exactly: { error: 'User not found' }, next });
}
