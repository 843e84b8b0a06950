import type { Caller, RequestContext } from '@deskside/core';
import { type ItemOutcome, itemOf, type Journal } from '@deskside/desktop';
import type { ClientProcess } from '@deskside/core/internal';
import { isDenied } from '../approvals/texts.ts';
import type { CallResult, Mount } from '../mounts/mount.ts';
import { withNotes } from './notes.ts';

/** Who has called a tool last, by the process of an attached client. */
const callers = new WeakMap<ClientProcess, Caller>();

/** A call of a tool begins, also of one that no mount has. */
export function noteCaller(caller: Caller): void {
  if (caller.process !== undefined) callers.set(caller.process, caller);
}

/** @returns undefined before the first call */
export function callerOf(client: ClientProcess): Caller | undefined {
  return callers.get(client);
}

/** Runs a call and records it, without its arguments and its answer. */
export async function recordedCall(
  own: Mount,
  tool: string,
  ctx: RequestContext,
  journal: Journal | undefined,
  call: () => Promise<CallResult>,
): Promise<CallResult> {
  if (journal === undefined) return withNotes(own, ctx, await call());
  const transport = ctx.transport === 'http' ? ctx.transport : undefined;
  const item = journal.begin({ ...itemOf('call', ctx), mount: own.id, tool, transport });
  const end = (outcome: ItemOutcome) => item.end(ctx.signal.aborted ? 'cancelled' : outcome);
  try {
    const result = await call();
    end(outcomeOf(result));
    return withNotes(own, ctx, result);
  } catch (error) {
    end('failed');
    throw error;
  }
}

function outcomeOf(result: CallResult): ItemOutcome {
  if (result === undefined) return 'unknown';
  if (!('content' in result)) return 'input required';
  if (isDenied(result)) return 'denied';
  return result.isError === true ? 'error' : 'ok';
}
