import type { Caller, RequestContext, ServerDefinition } from '@deskside/core';
import { type ItemOutcome, itemOf, type Journal } from '@deskside/core/base';
import { localIso } from '@deskside/core/dates';
import type { ClientProcess } from '@deskside/core/desk';
import { isDenied } from '../approvals/texts.ts';
import type { Mount } from '../mounts/mount.ts';
import { withNotes } from './notes.ts';

type CallResult = Awaited<ReturnType<ServerDefinition['callTool']>>;

/** What is recorded of the tool calls of all mounts. */
export interface Calls {
  readonly journal: Journal;
  readonly httpClients: HttpClients;
}

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
  calls: Calls | undefined,
  call: () => Promise<CallResult>,
): Promise<CallResult> {
  if (calls === undefined) return withNotes(own, ctx, await call());
  const item = calls.journal.begin({ ...itemOf('call', ctx), mount: own.id, tool });
  const leave = calls.httpClients.enter(ctx);
  const end = (outcome: ItemOutcome) => {
    item.end(ctx.signal.aborted ? 'cancelled' : outcome);
    leave();
  };
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

/** A client that calls tools over HTTP: a session, or a token without one. */
export interface HttpClient {
  /** As people read it. */
  readonly label: string;
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601. */
  readonly lastCall: string;
  readonly openCalls: number;
}

interface Known {
  caller: Caller;
  readonly since: Date;
  lastCall: Date;
  openCalls: number;
}

const MAX_CLIENTS = 100;
/** A client without a call in this time has gone. */
const PRESENT_MS = 10 * 60_000;

/** Over HTTP a client is known by its calls only. */
export class HttpClients {
  /** By caller, the one that called last at the end. */
  readonly #known = new Map<string, Known>();
  readonly #now: () => Date;

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  /** A call begins. @returns a function for its end */
  enter({ caller, transport }: Pick<RequestContext, 'caller' | 'transport'>): () => void {
    if (transport !== 'http') return nothing;
    const { key } = caller;
    const at = this.#now();
    const known = this.#known.get(key) ?? { caller, since: at, lastCall: at, openCalls: 0 };
    known.caller = caller;
    known.lastCall = at;
    known.openCalls += 1;
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_CLIENTS && oldest !== undefined) this.#known.delete(oldest);
    return () => void (known.openCalls -= 1);
  }

  /** The clients with an open call, and those that have called in the last ten minutes. */
  list(): readonly HttpClient[] {
    const goneMs = this.#now().getTime() - PRESENT_MS;
    return [...this.#known.values()]
      .filter(({ openCalls, lastCall }) => openCalls > 0 || lastCall.getTime() > goneMs)
      .map(({ caller, since, lastCall, openCalls }) => ({
        label: caller.label(),
        since: localIso(since),
        lastCall: localIso(lastCall),
        openCalls,
      }));
  }
}

function nothing(): void {}
