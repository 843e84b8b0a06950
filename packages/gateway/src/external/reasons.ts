import { shellQuoted } from '@deskside/core/base';
import { errnoOf, messageOf, StartError, UserError } from '@deskside/core/errors';
import { escapeInvisible, firstCodePoints } from '@deskside/core/text';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { LoginNeeded, ownAnswerIn, StartFailure } from './problems.ts';

const MAX_REASON_CODE_POINTS = 200;
/** They look like system errors. */
const SDK_CODES = Object.values<string>(SdkErrorCode);
const LOGIN_NEEDED = 'LOGIN_NEEDED';

/** The connection could not be made, or was refused before the server read the request. */
const NOT_CONNECTED_ERRNOS: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes of OpenSSL for a chain of certificates. */
const CERTIFICATES = /CERT|UNABLE_TO_VERIFY/;

/** A server as people know it. */
export interface Named {
  readonly id: string;
  /** The URL or the command, as deskside.toml gives it. */
  readonly title: string;
  /** Hides its secrets in a text. */
  readonly redact: (text: string) => string;
}

/** A sentence that says why a server cannot be used. */
export function reasonOf(error: unknown, named: Named, exit?: string): string {
  return named.redact(plainReason(error, named, exit));
}

function plainReason(error: unknown, { id, title, redact }: Named, exit: string | undefined): string {
  const causes = causesOf(error);
  const login = causes.find((cause) => cause instanceof LoginNeeded);
  if (login !== undefined) return `${loginSentence(id, title, login)} Run "deskside login ${id}".`;
  const own = causes.find((cause) => cause instanceof StartError || UserError.is(cause));
  if (UserError.is(own)) return own.sentence();
  if (own instanceof StartError) return own.message;
  const start = causes.find((cause) => cause instanceof StartFailure);
  if (start !== undefined) return start.message;
  const answer = ownAnswerIn(error);
  if (answer === 'too long')
    return `${messageOf(error)} Raise max_result_bytes of this server in deskside.toml.`;
  if (answer === 'invalid') return 'It cannot be used: one of its answers is not valid.';
  if (answer === 'lost') return 'It ended its connection without an answer.';
  const http = causes.find((cause) => cause instanceof SdkHttpError);
  if (http !== undefined) return `It answers HTTP ${http.status}.`;
  const errno = causes
    .map(errnoOf)
    .find((code) => code !== undefined && /^[A-Z][A-Z_]+$/.test(code) && !SDK_CODES.includes(code));
  if (errno !== undefined && CERTIFICATES.test(errno)) {
    return errno.includes('EXPIRED')
      ? 'Its certificate has expired. Its operator has to renew it.'
      : `Its certificate is not trusted (${errno}). Add its authority to those of this system, or start Deskside with NODE_EXTRA_CA_CERTS=FILE.`;
  }
  if (errno !== undefined) return `It cannot be reached (${errno}).`;
  if (exit !== undefined) return `It ended (${exit}).`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'It does not answer.';
  if (error instanceof ProtocolError) return `It refuses to start (error ${error.code}).`;
  return `It cannot be used: ${quoted(error, redact)}.`;
}

/** The message of an error, which may repeat what a server sent. */
export function quoted(error: unknown, redact: (text: string) => string): string {
  // The JSON parser cuts what it quotes, so a part of a secret could stay.
  const text = messageOf(error)
    .replace(/Unexpected token .* is not valid JSON/s, 'it is not JSON')
    .replace(/(?<=^Invalid result for [\w/]+): .*/s, '');
  return escapeInvisible(firstCodePoints(redact(text), MAX_REASON_CODE_POINTS));
}

function loginSentence(id: string, title: string, { scope }: LoginNeeded): string {
  const more = scope === undefined ? '' : ` with more rights${scope === '' ? '' : `: ${scope}`}`;
  return escapeInvisible(firstCodePoints(`${id} (${title}) needs a login${more}.`, MAX_REASON_CODE_POINTS));
}

/** @returns a sentence if a start or a call has failed because the server needs a login */
export function neededLogin(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    if (!UserError.is(cause)) continue;
    const { failure } = cause;
    if ('code' in failure && failure.code === LOGIN_NEEDED) return failure.error;
  }
  return undefined;
}

/** The answer to a call that has failed because it needs a login: only a person can do it. */
export function loginAnswer(error: unknown, { id, title, redact }: Named): UserError | undefined {
  const needed = causesOf(error).find((cause) => cause instanceof LoginNeeded);
  if (needed === undefined) return undefined;
  return loginNeeded(redact(loginSentence(id, title, needed)), id);
}

/** @param user whose login it is; undefined: the user at the desk */
export function loginNeeded(sentence: string, id: string, user?: string): UserError {
  const how =
    user === undefined
      ? `log in in the window that offers it, or run "deskside login ${id}" in a terminal`
      : `run "deskside login ${id} --as ${shellQuoted(user)}" where Deskside runs`;
  const hint = `Tell the person: ${how}. Then make the call again.`;
  return new UserError({ error: sentence, code: LOGIN_NEEDED, hint });
}

/** True if the server has surely not received the request. */
export function wasNotSent(error: unknown): boolean {
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof SdkError && cause.code === SdkErrorCode.NotConnected))
    return true;
  return causes.some((cause) => NOT_CONNECTED_ERRNOS.has(errnoOf(cause) ?? ''));
}

/** The error, and what caused it. */
export function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 8; cause = cause.cause)
    causes.push(cause);
  return causes.length === 0 ? [error] : causes;
}

/** The server was asked for its era, and what went wrong then does not say that it cannot be used. */
export function leavesEraOpen(error: unknown): boolean {
  return !wasNotSent(error) && !causesOf(error).some((cause) => cause instanceof LoginNeeded);
}

/** The SDK could not find out the era in which the server speaks. */
export function isEraUnknown(error: unknown): boolean {
  return causesOf(error).some(
    (cause) => cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed,
  );
}

/** As the specification says, such a server may speak HTTP+SSE. */
const NO_STREAMABLE_HTTP: ReadonlySet<number> = new Set([400, 404, 405]);

export function refusesStreamableHttp(error: unknown): boolean {
  return causesOf(error).some(
    (cause) => cause instanceof SdkHttpError && NO_STREAMABLE_HTTP.has(cause.status),
  );
}
