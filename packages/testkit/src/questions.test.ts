import {
  acceptedContent,
  defineServer,
  inputRequired,
  promptDefiner,
  type RequestContext,
  type Resource,
} from '@deskside/core';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { connectInProcess, type InProcessOptions, LEGS, type Peer } from './connect.ts';

const form = z.object({ pin: z.string().min(4) });

/** Asks for a PIN, and continues when it has one. */
function withPin({ input }: RequestContext, message: string, work: (pin: string) => string) {
  const given = acceptedContent(input.responses, 'pin', form);
  if (given !== undefined) return work(given.pin);
  return inputRequired({ inputRequests: { pin: inputRequired.elicit({ message, requestedSchema: form }) } });
}

const letter: Resource<null> = {
  uri: 'letter://one',
  name: 'letter',
  mimeType: 'text/plain',
  read: (_, ctx) => withPin(ctx, 'PIN for the letter?', (pin) => `the letter, opened with ${pin}`),
};
const signed = promptDefiner<null>()({
  name: 'sign',
  title: 'Sign',
  description: 'Signs a text',
  arguments: z.object({ text: z.string() }),
  run: ({ text }, _, ctx) => withPin(ctx, `PIN for ${text}?`, (pin) => `${text}, signed with ${pin}`),
});
const definition = defineServer({
  name: 'questions',
  version: '1.0.0',
  deps: null,
  resources: [letter],
  prompts: [signed],
});

/** A client whose person types these PINs, one per question. */
async function connect(
  leg: InProcessOptions,
  pins: readonly string[],
): Promise<{ peer: Peer; asked: string[] }> {
  const peer = await connectInProcess(definition, { ...leg, capabilities: { elicitation: { form: {} } } });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  const asked: string[] = [];
  const answer = (message: string) => {
    asked.push(message);
    return { action: 'accept' as const, content: { pin: pins[asked.length - 1] ?? '' } };
  };
  const { client } = peer;
  if (client instanceof LegacyClient) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message));
  } else client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message));
  return { peer, asked };
}

describe.each(LEGS)('in the $era era over $over', (leg) => {
  test('a resource asks the person while it is read', async () => {
    const { peer, asked } = await connect(leg, ['1234']);
    const { contents } = await peer.readResource('letter://one');
    expect(contents).toMatchObject([{ uri: 'letter://one', text: 'the letter, opened with 1234' }]);
    expect(asked).toEqual(['PIN for the letter?']);
  });

  test('a prompt asks the person, again if the answer does not fit the form', async () => {
    const { peer, asked } = await connect(leg, ['1', '5678']);
    const { messages } = await peer.getPrompt('sign', { text: 'a contract' });
    expect(messages).toMatchObject([{ content: { text: 'a contract, signed with 5678' } }]);
    expect(asked).toEqual(['PIN for a contract?', 'PIN for a contract?']);
  });

  test('a client that cannot ask gets an error that names what is missing', async () => {
    await using peer = await connectInProcess(definition, leg);
    await expect(peer.readResource('letter://one')).rejects.toThrow(/elicitation|capabilit/i);
    await expect(peer.getPrompt('sign', { text: 'a contract' })).rejects.toThrow(/elicitation|capabilit/i);
  });
});
