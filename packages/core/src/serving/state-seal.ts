import {
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Principal } from '../definition/context.ts';

const opened = z.object({ subject: z.string(), payload: z.unknown() });
const envelope = opened.extend({ user: z.string(), method: z.string() });

/** Signs what a call hands itself through the client, for the same caller, method and subject only. */
export interface StateSeal {
  /** @param subject the tool, prompt or address that the call is about */
  seal(payload: unknown, principal: Principal, subject: string, ctx: ServerContext): Promise<string>;
  /** @throws where it was tampered with, is older than ten minutes, or somebody else's. */
  open(state: string, principal: Principal, ctx: ServerContext): Promise<unknown>;
}

export function stateSeal(): StateSeal {
  let kept: RequestStateCodec | undefined;
  // Made when first needed: most servers never seal anything, and random numbers cost 4 ms of a cold start.
  const codec = () => (kept ??= createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) }));
  return {
    seal: (payload, { user }, subject, { mcpReq }) =>
      codec().mint({ user, method: mcpReq.method, subject, payload }),
    async open(state, { user }, ctx) {
      const sealed = envelope.parse(await codec().verify(state, ctx));
      if (sealed.user !== user || sealed.method !== ctx.mcpReq.method)
        throw new Error('sealed for another call');
      return opened.parse(sealed);
    },
  };
}

/**
 * @param state what `open` answered, if there was any
 * @throws ProtocolError −32602 where it was sealed by a call about something else
 */
export function payloadFor(subject: string, state: unknown): unknown {
  if (state === undefined) return undefined;
  const sealed = opened.parse(state);
  if (sealed.subject === subject) return sealed.payload;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid requestState: it belongs to another call',
  );
}
