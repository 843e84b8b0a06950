import { canonicalJson } from '../../base/json.ts';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Clock, systemClock } from '../../base/clock.ts';
import { isObject } from '../../base/values.ts';
import { digestOf, type Seal } from './seal.ts';

/** Milliseconds for which a sealed state is accepted. */
const STATE_LIFETIME_MS = 10 * 60_000;

/** What a sealed state belongs to. */
export interface StateOwner {
  readonly user: string;
  readonly method: string;
  /** The tool, prompt or URI. */
  readonly subject: string;
  readonly args: unknown;
}

/** Encrypts the state that a call passes to its next round through the client. */
export interface StateSeal {
  seal(payload: unknown, owner: StateOwner): string;
  /** @throws Error if the state was not sealed with this secret or has expired */
  open(text: string): unknown;
  /** @throws ProtocolError −32602 if the state belongs to another user, method, subject or other arguments */
  payloadFor(owner: StateOwner, opened: unknown): unknown;
}

export function stateSeal(seal: Seal, clock: Pick<Clock, 'now'> = systemClock): StateSeal {
  return {
    seal(payload, owner) {
      const expiresAt = clock.now().getTime() + STATE_LIFETIME_MS;
      return seal.seal({ expiresAt, owner: ownerDigest(owner), payload });
    },
    open(text) {
      const state = seal.open(text);
      if (!isObject(state)) throw new Error('sealed with another secret');
      if (Number(state['expiresAt']) >= clock.now().getTime()) return state;
      throw new Error('expired');
    },
    payloadFor(owner, opened) {
      // The SDK verifies only the states of the methods that it knows to have rounds.
      if (isObject(opened) && opened['owner'] === ownerDigest(owner)) return opened['payload'];
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'Invalid requestState: it belongs to another call',
      );
    },
  };
}

/** The same for the same JSON, also if the keys of its arguments have another order. */
function ownerDigest({ user, method, subject, args = {} }: StateOwner): string {
  return digestOf(canonicalJson([user, method, subject, args]));
}
