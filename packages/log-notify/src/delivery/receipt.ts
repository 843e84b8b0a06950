import type { Unseen } from '../sinks/sink.ts';
import type { Reason, SinkDelivery } from './sink-delivery.ts';

/** What happened to a notification when it was handed over. A file accepts all, and often no one reads it. */
export interface Receipt {
  /** Sinks that accepted it, in which a person can see it. */
  readonly delivered: readonly string[];
  /** Sinks that accepted it, and why it is not certain that a person sees it there. */
  readonly unseen: Readonly<Record<string, Unseen | 'not confirmed'>>;
  /** The other sinks, each with the reason. */
  readonly suppressed: Readonly<Record<string, Reason>>;
}

/** Why a sink does not deliver a notification now. */
export type Outcome = readonly [SinkDelivery, Reason | undefined];

/** @param asked the sinks of which it is not known whether a person sees what they take */
export function receiptOf(outcomes: readonly Outcome[], asked: ReadonlySet<SinkDelivery>): Receipt {
  const delivered: string[] = [];
  const unseen: Record<string, Unseen | 'not confirmed'> = {};
  const suppressed: Record<string, Reason> = {};
  for (const [each, outcome] of outcomes) {
    const { name } = each.plan;
    const reason = outcome ?? (each.failure === undefined ? undefined : 'failing');
    const doubt = each.sink.unseen?.() ?? (each.isWorking && !asked.has(each) ? undefined : 'not confirmed');
    // The person never sees a summary there.
    const isHidden = doubt === 'not a terminal' && isHeld(reason);
    if (reason !== undefined && !isHidden) suppressed[name] = reason;
    else if (doubt === undefined) delivered.push(name);
    else unseen[name] = doubt;
  }
  return { delivered, unseen, suppressed };
}

/** A sink that fails shows nothing now: the next one of the rule gets it at once. */
export function isShownSoon(reason: Reason | undefined): boolean {
  return reason === undefined || isHeld(reason);
}

/** It waits for a summary. */
export function isHeld(reason: Reason | undefined): boolean {
  return reason !== undefined && ['rate', 'duplicate', 'quiet hours', 'digest'].includes(reason);
}
