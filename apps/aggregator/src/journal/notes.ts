import type { ClientProcess } from '@deskside/core/desk';
import { type RequestContext, type ServerDefinition, textBlock } from '@deskside/core';
import type { Mount } from '../mounts/mount.ts';

type CallResult = Awaited<ReturnType<ServerDefinition['callTool']>>;

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
 * Adds the notes for the client as a second block, once. Results of other servers stay as they are, and so do errors and
 * results that nobody waits for.
 */
export function withNotes(
  { approvals }: Mount,
  { caller: { process }, signal }: Pick<RequestContext, 'caller' | 'signal'>,
  result: CallResult,
): CallResult {
  const waiting = process && notes.get(process);
  const isOwn = approvals === undefined;
  if (process === undefined || waiting === undefined || !isOwn || signal.aborted) return result;
  if (result === undefined || result.isError === true) return result;
  notes.delete(process);
  const text = `The person at the desk tells you, beside this result:\n${waiting.join('\n\n')}`;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a question to the client has no content
  const answer = result as Extract<typeof result, { readonly content: readonly unknown[] }>;
  return { ...answer, content: [...answer.content, textBlock(text)] };
}
