import { bytesText } from '@deskside/core/base';
import { UserError } from '@deskside/core/errors';
import { ProtocolError } from '@modelcontextprotocol/client';

const INTERNAL_ERROR = -32_603;

/** The error of a response. */
export interface ErrorAnswer {
  readonly code: number;
  readonly message: string;
  readonly data: object;
}

/** `lost`: its connection has ended. `invalid`: it is neither a result nor an error. */
export type OwnAnswer = 'too long' | 'lost' | 'invalid';

/** Our own answers in place of a server's, recognized by identity: a server can send any text and code. */
const own = new WeakMap<object, OwnAnswer>();

/** @param message for people, if it is too long */
export function ownAnswer(kind: OwnAnswer, message = `${kind} answer`): ErrorAnswer {
  const data = {};
  own.set(data, kind);
  return { code: INTERNAL_ERROR, message, data };
}

/** Replaces a message that is longer than the limit. */
export function messageTooLong(maxBytes: number): ErrorAnswer {
  return ownAnswer('too long', `The answer is longer than ${bytesText(maxBytes)}.`);
}

/** Which of our own answers an error is. Undefined: none. */
export function ownAnswerIn(error: unknown): OwnAnswer | undefined {
  if (!(error instanceof ProtocolError) || typeof error.data !== 'object' || error.data === null)
    return undefined;
  return own.get(error.data);
}

/** The server demands a login in the browser. */
export class LoginNeeded extends Error {
  override readonly name = 'LoginNeeded';
  /** What the present login lacks; empty if the server does not say it. Undefined: there is no login. */
  readonly scope: string | undefined;

  constructor(scope?: string) {
    super('login needed');
    this.scope = scope;
  }
}

/** Why a server did not start, as a sentence. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/** The server cannot answer now. */
export function unavailable(error: string, hint: string): UserError {
  return new UserError({ error, code: 'UNAVAILABLE', hint });
}
