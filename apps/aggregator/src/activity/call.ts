import type { RequestContext, ServerDefinition } from '@deskside/core';
import type { Mount } from '../mounts/mount.ts';

type CallResult = Awaited<ReturnType<ServerDefinition['callTool']>>;

/** One tool call, without its arguments and its answer. */
export interface CallRecord {
  readonly mount: string;
  /** The tool's name in its mount. */
  readonly tool: string;
  /** `unknown`: the mount has no such tool. `failed`: a defect. */
  readonly outcome: 'ok' | 'error' | 'input_required' | 'cancelled' | 'failed' | 'unknown';
  readonly ms: number;
  readonly user: string;
  /** The name of the bearer token, or of the attached client. */
  readonly token?: string;
  /** What a person reads as the caller. */
  readonly caller: string;
  readonly session?: string;
}

/** Runs a call and reports it. */
export async function recordedCall(
  { id }: Mount,
  tool: string,
  { caller, signal }: RequestContext,
  onCall: ((call: CallRecord) => void) | undefined,
  call: () => Promise<CallResult>,
): Promise<CallResult> {
  if (onCall === undefined) return call();
  const startedAt = performance.now();
  const report = (outcome: CallRecord['outcome']) => {
    const { principal, session } = caller;
    onCall({
      mount: id,
      tool,
      outcome: signal.aborted ? 'cancelled' : outcome,
      ms: Math.round(performance.now() - startedAt),
      user: principal.user,
      ...(principal.token === undefined ? {} : { token: principal.token }),
      caller: caller.label(),
      ...(session === undefined ? {} : { session }),
    });
  };
  try {
    const result = await call();
    report(outcomeOf(result));
    return result;
  } catch (error) {
    report('failed');
    throw error;
  }
}

function outcomeOf(result: CallResult): CallRecord['outcome'] {
  if (result === undefined) return 'unknown';
  if (!('content' in result)) return 'input_required';
  return result.isError === true ? 'error' : 'ok';
}
