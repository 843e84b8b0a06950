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

interface OpenedState {
  /** Milliseconds of the wall clock. */
  readonly expiresAt: number;
  readonly user: string;
  readonly method: string;
  readonly subject: string;
  /** Digest. */
  readonly args: string;
  readonly payload: unknown;
}

export function stateSeal(seal: Seal, clock: Pick<Clock, 'now'> = systemClock): StateSeal {
  return {
    seal(payload, { user, method, subject, args }) {
      const expiresAt = clock.now().getTime() + STATE_LIFETIME_MS;
      const state: OpenedState = { expiresAt, user, method, subject, args: argumentsDigest(args), payload };
      return seal.seal(state);
    },
    open(text) {
      const state = seal.open(text);
      if (!isObject(state)) throw new Error('sealed with another secret');
      if (Number(state['expiresAt']) >= clock.now().getTime()) return state;
      throw new Error('expired');
    },
    payloadFor({ user, method, subject, args }, opened) {
      // The SDK verifies only the states of the methods that it knows to have rounds.
      const state: Partial<OpenedState> = isObject(opened) ? opened : {};
      const fits = state.user === user && state.method === method && state.subject === subject;
      if (fits && state.args === argumentsDigest(args)) return state.payload;
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'Invalid requestState: it belongs to another call',
      );
    },
  };
}

/** The same for the same JSON, also if its keys have another order. */
function argumentsDigest(args: unknown): string {
  return digestOf(canonicalJson(args ?? {}));
}
