import { randomUUID } from 'node:crypto';
import type { RequestContext } from '@deskside/core';
import { isObject } from '@deskside/core/base';
import type {
  Approval,
  ApprovalCall,
  ClientDesktop,
  Inbox,
  InboxCaller,
  InboxRequest,
  Theme,
} from '@deskside/desktop';
import type { AcceptedTool } from '../mounts/mount.ts';
import { claimOf, isDestructive } from './words.ts';

/** The part of the popup that asks. */
export type Person = {
  readonly theme: Theme;
  readonly inbox: Pick<Inbox, 'ask' | 'update'>;
  /** The display of the person's login session: the client, which is an agent, does not choose it. */
  personsDesktop(): Promise<ClientDesktop>;
};

/** A call that the person decides on. */
export interface Asked {
  readonly mount: string;
  readonly tool: AcceptedTool;
  readonly args: unknown;
  readonly ctx: RequestContext;
  /** Whether the rules cannot be read, so that the person is asked, and cannot remember the answer. */
  readonly isWithoutRules?: boolean;
}

const WAIT_SECONDS = 120;
/** The answer is there so long before the client ends the call. */
const LEAD_SECONDS = 10;

/** How long the person has for an answer. Some clients end a call earlier. */
function waitSeconds({ caller }: Pick<RequestContext, 'caller'>): number {
  return Math.min(WAIT_SECONDS, (caller.known?.callLimitSeconds ?? Infinity) - LEAD_SECONDS);
}

/** Equal calls that wait for one decision. */
export interface AskedCalls extends ApprovalCall {
  readonly asked: Asked;
}

/**
 * @param others of the same tool, with other arguments
 * @param hasSession whether the person can allow the tool for the conversation
 */
export function approvalFor(first: AskedCalls, others: readonly AskedCalls[], hasSession: boolean): Approval {
  const { tool, isWithoutRules = false } = first.asked;
  const claim = claimOf(tool);
  const said =
    claim === 'effect unknown'
      ? 'The server does not say whether it changes or destroys data.'
      : `${claim.charAt(0).toUpperCase()}${claim.slice(1)}, according to the server.`;
  return {
    ...callOf(first),
    others: others.map(callOf),
    claim: `${first.asked.mount} › ${tool.name}. ${isWithoutRules ? 'Your rules cannot be read, so each call asks: run deskside doctor. ' : ''}${said}`,
    destroys: claim === 'destroys data',
    more: [...(hasSession ? (['session'] as const) : []), ...(isWithoutRules ? [] : (['always'] as const))],
    isExact: isDestructive(tool),
  };
}

function callOf({ asked: _, ...call }: AskedCalls): ApprovalCall {
  return call;
}

/** `Codex wants to refund`. The exact name of the tool is in the claim. */
function sentenceOf(caller: string, tool: string): string {
  const words = tool.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_.-]+/g, ' ');
  return `${caller.split(' · ')[0]} wants to ${words.toLowerCase().trim()}`;
}

export function requestFor({ tool, ctx }: Asked, theme: Person['theme'], approval: Approval): InboxRequest {
  return {
    kind: 'approval',
    message: sentenceOf(ctx.caller.label(), tool.name),
    title: 'Deskside: allow a call?',
    timeout: waitSeconds(ctx),
    theme,
    showsHistory: false,
    chimes: false,
    caller: ctx.caller.label(),
    approval,
  };
}

/** As the person sees them. */
export function argumentsOf(args: unknown): ApprovalCall['arguments'] {
  if (args === undefined) return [];
  if (!isObject(args)) return [{ name: 'arguments', value: textOf(args) }];
  return Object.entries(args).map(([name, value]) => ({ name, value: textOf(value) }));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** For the record. @returns undefined if no window can open there */
export function displayOf({ env }: ClientDesktop): string | undefined {
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'];
}

/** No later popup of the agent replaces it. */
export function callerFor(
  { mount, tool, ctx }: Asked,
  signal: AbortSignal,
  client: ClientDesktop,
): InboxCaller & { readonly item: { readonly id: string } } {
  const { principal, project, session } = ctx.caller;
  const { user, token } = principal;
  return {
    item: {
      id: randomUUID(),
      user,
      token,
      project,
      session,
      mount,
      tool: tool.name,
      display: displayOf(client),
    },
    session: undefined,
    signal,
    log: ctx.log,
    client,
  };
}

const PROGRESS_INTERVAL_MS = 15_000;

/** Tells the caller that the person is asked: many clients give up after a minute without progress. */
export async function withProgress<T>(ctx: RequestContext, waiting: Promise<T>): Promise<T> {
  const began = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1000);
    ctx
      .progress(seconds, undefined, `Waiting for the person to decide on this call for ${seconds} s`)
      .catch((error: unknown) => ctx.log.debug('progress not sent', { error }));
  }, PROGRESS_INTERVAL_MS);
  return waiting.finally(() => clearInterval(timer));
}
