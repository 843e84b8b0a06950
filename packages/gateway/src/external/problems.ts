import { bytesText } from '@deskside/core/base';
import { UserError } from '@deskside/core/errors';
import { type JSONRPCMessage, ProtocolError } from '@modelcontextprotocol/client';

const INTERNAL_ERROR = -32_603;

/** The error of a response. */
export interface ErrorAnswer {
  readonly code: number;
  readonly message: string;
  readonly data: object;
}

/** Our own answers in place of a server's, recognized by identity: a server can send any text and code. */
const tooLong = new WeakSet<object>();
const lost = new WeakSet<object>();

/** Replaces a message that is longer than the limit. */
export function messageTooLong(maxBytes: number): ErrorAnswer {
  const data = {};
  tooLong.add(data);
  return { code: INTERNAL_ERROR, message: `The answer is longer than ${bytesText(maxBytes)}.`, data };
}

/** Levels of arrays and objects in a message. A message with some thousands cannot be sent on. */
const MAX_LEVELS = 1000;

/** The message, or an error in place of an answer that is nested too deeply. Undefined for any other such message. */
export function withinLevels(message: JSONRPCMessage): JSONRPCMessage | undefined {
  if (!isDeeperThan(message, MAX_LEVELS)) return message;
  if ('method' in message || message.id === undefined) return undefined;
  const data = {};
  tooLong.add(data);
  const text = `The answer has more than ${MAX_LEVELS} levels.`;
  return { jsonrpc: '2.0', id: message.id, error: { code: INTERNAL_ERROR, message: text, data } };
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(member, levels - 1));
}

/** Answers a request whose connection ended. */
export function callLost(): ErrorAnswer {
  const data = {};
  lost.add(data);
  return { code: INTERNAL_ERROR, message: 'The connection ended.', data };
}

export function isTooLong(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && isIn(tooLong, error.data);
}

export function isLost(error: unknown): boolean {
  return error instanceof ProtocolError && isIn(lost, error.data);
}

function isIn(set: WeakSet<object>, data: unknown): boolean {
  return typeof data === 'object' && data !== null && set.has(data);
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
