import type { ClientProcess } from '@deskside/core/internal';
import { type RequestContext, textBlock } from '@deskside/core';
import type { CallResult, Mount } from '../mounts/mount.ts';

/** What the person wants to tell an agent. It ends with the session of its client. */
const notes = new WeakMap<ClientProcess, readonly string[]>();

/** The agent reads it with its next result. */
export function leaveNote(client: ClientProcess, text: string): void {
  notes.set(client, [...(notes.get(client) ?? []), text]);
}

/** True until the agent got it. */
export function hasNote(client: ClientProcess): boolean {
  return notes.has(client);
}

/**
 * Adds the notes for the client as a second block, once. Results of other servers stay unchanged, and so do objects (many
 * hosts show the model nothing but `structuredContent`) and the results of cancelled calls.
 */
export function withNotes(
  { approvals }: Mount,
  { caller: { process }, signal }: Pick<RequestContext, 'caller' | 'signal'>,
  result: CallResult,
): CallResult {
  const waiting = process && notes.get(process);
  const isOwn = approvals === undefined;
  if (process === undefined || waiting === undefined || !isOwn || signal.aborted) return result;
  if (result === undefined || !hasContent(result) || result.structuredContent !== undefined) return result;
  notes.delete(process);
  const text = `The person at the desk tells you, beside this result:\n${waiting.join('\n\n')}`;
  return { ...result, content: [...result.content, textBlock(text)] };
}

type Answer = Extract<CallResult, { readonly content: readonly unknown[] }>;

/** A question to the client has none. */
function hasContent(result: NonNullable<CallResult>): result is Answer {
  return 'content' in result;
}
