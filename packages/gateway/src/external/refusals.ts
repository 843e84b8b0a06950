import { messageOf, UserError } from '@deskside/core/errors';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { foreignError } from './foreign-questions.ts';
import { LoginNeeded, ownAnswerIn, unavailable } from './problems.ts';
import { causesOf, loginAnswer, type Named, reasonOf, wasNotSent } from './reasons.ts';
import type { ExternalLimits } from './spec.ts';

const LOST =
  'not found|invalid|not valid|expired|unknown|terminated|missing|required|does not exist|closed|gone|not known';
/** A refusal that names the session: the request was not read further. */
const SESSION = new RegExp(
  [
    String.raw`\bsession(?: id)?\b[^.]{0,60}\b(?:${LOST})\b`,
    String.raw`\b(?:no|no such|no valid|no active|${LOST}|unrecognized)\b[^.]{0,40}\bsession\b`,
    String.raw`\bmcp-session-id\b|\bserver (?:is )?not (?:yet |been )?initiali[sz]ed\b|\bbefore initiali[sz]ation\b`,
  ].join('|'),
  'i',
);
/** With these codes servers refuse a request as a whole. */
const REFUSAL_CODES: ReadonlySet<number> = new Set([-32_000, -32_001, -32_600]);
/** With a session in use, it may be the session that is refused. */
const SESSION_STATUS: ReadonlySet<number> = new Set([400, 410, 422]);
/** 500 can be the answer to one call only. */
const UNREACHABLE_STATUS: ReadonlySet<number> = new Set([401, 403, 502, 503, 504]);
/** The server has not carried out what it refuses so. */
const UNREAD_STATUS: ReadonlySet<number> = new Set([401, 403, 404, 405, 406, 411, 413, 415, 429, 503]);
const MAX_FAULTS = 2;

export function namesSession(text: string): boolean {
  return SESSION.test(text.slice(0, 2000));
}

/** What a failed request says of its connection. */
export interface ConnectionVerdict {
  /** The call surely did not run, so it can be made again. */
  readonly isUnsent: boolean;
  /**
   * `reopen`: the next call opens another connection at once. `fail`: the server is not available, and is tried again after a
   * pause. `keep`: other calls may succeed.
   */
  readonly connection: 'keep' | 'reopen' | 'fail';
}

/**
 * @param faults how often in succession the server has answered with a fault of its own (5xx), with this one
 * @param hasSession a session of Streamable HTTP is in use
 */
export function connectionVerdict(error: unknown, hasSession: boolean, faults: number): ConnectionVerdict {
  const isUnsent = wasNotSent(error);
  if (isLostSession(error, hasSession)) return { isUnsent: true, connection: 'reopen' };
  // A token that lacks a scope is good for other calls.
  if (causesOf(error).some((each) => each instanceof LoginNeeded && each.scope === undefined))
    return { isUnsent, connection: 'reopen' };
  const status = error instanceof SdkHttpError ? error.status : 200;
  if (UNREACHABLE_STATUS.has(status)) return { isUnsent, connection: 'fail' };
  const isSession = hasSession && SESSION_STATUS.has(status);
  if (isSession || faults >= MAX_FAULTS) return { isUnsent, connection: 'reopen' };
  const isGone =
    error instanceof SdkError
      ? error.code === SdkErrorCode.NotConnected
      : !(error instanceof ProtocolError) && isUnsent;
  return { isUnsent, connection: isGone ? 'fail' : 'keep' };
}

function isLostSession(error: unknown, hasSession: boolean): boolean {
  if (error instanceof SdkHttpError)
    return error.status === 404 || (hasSession && namesSession(textOf(error)));
  return (
    hasSession &&
    error instanceof ProtocolError &&
    REFUSAL_CODES.has(error.code) &&
    namesSession(error.message)
  );
}

/** A fault of the server itself, or of the network after the request was sent. */
export function isFault(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status >= 500;
  return ownAnswerIn(error) === 'lost' || isBroken(error);
}

/** The network failed after the request was sent. */
function isBroken(error: unknown): boolean {
  return !wasNotSent(error) && causesOf(error).some((cause) => cause instanceof TypeError);
}

/** The server may have carried out what it did not answer. */
function mayHaveRun(error: unknown): boolean {
  return error instanceof SdkHttpError && !UNREAD_STATUS.has(error.status);
}

function textOf({ data }: SdkHttpError): string {
  const text: unknown = data['text'];
  return typeof text === 'string' ? text : '';
}

const MAY_HAVE_RUN = 'The call may have had an effect. Check before you repeat it.';

/**
 * What the caller of a failed call gets. Errors of the server pass; everything else is said in our own words.
 *
 * @param used the connection of the call, if it had one
 */
export function callProblem(
  error: unknown,
  server: Named & { readonly limits: ExternalLimits },
  { isExpired, controller }: { readonly isExpired: boolean; readonly controller: AbortController },
  used: { readonly exit: string | undefined } | undefined,
): unknown {
  const { id, limits } = server;
  if (isExpired) {
    return unavailable(
      `${id} did not answer within ${Math.round(limits.callMs / 1000)} s.`,
      'It may still be working. Raise timeout_seconds of this server in deskside.toml if it needs more time.',
    );
  }
  if (controller.signal.aborted || UserError.is(error)) return error;
  const own = ownAnswerIn(error);
  if (own === 'too long') {
    return new UserError({
      error: `${id}: ${messageOf(error)}`,
      code: 'RESULT_TOO_LARGE',
      hint: 'Ask for less, or raise max_result_bytes of this server in deskside.toml.',
    });
  }
  const code = error instanceof SdkError ? error.code : undefined;
  if (own === 'lost' || code === SdkErrorCode.ConnectionClosed || (used !== undefined && isBroken(error))) {
    const exit = used?.exit === undefined ? '' : ` (${used.exit})`;
    return unavailable(`${id} ended during the call${exit}.`, MAY_HAVE_RUN);
  }
  if (own === 'invalid' || code === SdkErrorCode.InvalidResult) {
    return new UserError({
      error: `${id} answered with an invalid result.`,
      code: 'INVALID_ANSWER',
      hint: 'Report it to the author of this server.',
    });
  }
  if (error instanceof ProtocolError) return foreignError(id, error);
  const hint = mayHaveRun(error) ? MAY_HAVE_RUN : 'Continue without it, or try again later.';
  return (
    loginAnswer(error, server) ?? unavailable(`${id} is not available. ${reasonOf(error, server)}`, hint)
  );
}
