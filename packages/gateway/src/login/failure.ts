import { errnoOf } from '@deskside/core/errors';
import { escapeInvisible, firstCodePoints } from '@deskside/core/text';
import {
  AuthorizationServerMismatchError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';

const MAX_REASON_CODE_POINTS = 300;

/** Why a login or its renewal has failed, as the end of a sentence. Descriptions of a wrong authorization server are not shown. */
export function failureOf(error: unknown): string {
  if (error instanceof IssuerMismatchError && error.kind === 'metadata')
    return `the authorization server ${plain(String(error.expected))} names itself ${plain(String(error.received))}`;
  if (error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError) {
    return 'the authorization server is not the one that the server names';
  }
  if (error instanceof RegistrationRejectedError)
    return `the authorization server registers no client for Deskside (HTTP ${error.status}). ${REGISTER}`;
  if (error instanceof OAuthError) return `the authorization server answers "${plain(error.code)}"`;
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.message.includes('dynamic client registration'))
    return `the authorization server registers no clients. ${REGISTER}`;
  if ('issues' in error) return `the authorization server's answer is not valid${placeOf(error.issues)}`;
  if (error.name === 'TimeoutError') return 'the server does not answer in time';
  const errno = errnoOf(error.cause);
  if (errno !== undefined) return `the server cannot be reached (${errno})`;
  return plain(error.message).replace(/\.$/, '');
}

const REGISTER = 'Register one there, and set client_id of this server in deskside.toml';

/** @param issues of a validator */
function placeOf(issues: unknown): string {
  const path: unknown = Array.isArray(issues) ? Object(issues[0])['path'] : undefined;
  return Array.isArray(path) && path.length > 0 ? ` (${plain(path.join('.'))})` : '';
}

function plain(text: string): string {
  return escapeInvisible(firstCodePoints(text, MAX_REASON_CODE_POINTS));
}
