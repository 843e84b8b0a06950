import { type Command, connectStdio, type Peer } from '@deskside/testkit';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** An agent with a folder, whose person answers the form of a question when the test says so. */
export async function connectAsking(command: Command) {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const withdrawn = Promise.withResolvers<void>();
  const capabilities = { elicitation: {}, roots: {} };
  const peer = await connectStdio(command, { era: 'legacy', capabilities });
  if (!(peer.client instanceof LegacyClient)) throw new Error('not a legacy client');
  peer.client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///srv/shop' }] }));
  peer.client.setRequestHandler(ElicitRequestSchema, async (_request, { signal }) => {
    signal.addEventListener('abort', () => withdrawn.resolve());
    asked.resolve();
    return { action: 'accept' as const, content: { reply: await answer.promise } };
  });
  return {
    peer,
    asked: asked.promise,
    answer: answer.resolve,
    withdrawn: withdrawn.promise,
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

export const ask = (peer: Peer) => peer.callTool('popup_notify', { message: 'Which one?' });
