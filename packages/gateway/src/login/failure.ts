import { errnoOf } from '@deskside/core/errors';
import { escapeInvisible, firstCodePoints } from '@deskside/core/text';
import {
  AuthorizationServerMismatchError,
  IssuerMismatchError,
  OAuthError,
} from '@modelcontextprotocol/client';

const MAX_REASON_CODE_POINTS = 300;

/** Why a login or its renewal has failed, as the end of a sentence. Descriptions of a wrong authorization server are not shown. */
export function failureOf(error: unknown): string {
  if (error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError) {
    return 'the authorization server is not the one that the server names';
  }
  if (error instanceof OAuthError) return `the authorization server answers "${plain(error.code)}"`;
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.name === 'TimeoutError') return 'the server does not answer in time';
  const errno = errnoOf(error.cause);
  if (errno !== undefined) return `the server cannot be reached (${errno})`;
  return plain(error.message).replace(/\.$/, '');
}

function plain(text: string): string {
  return escapeInvisible(firstCodePoints(text, MAX_REASON_CODE_POINTS));
}
