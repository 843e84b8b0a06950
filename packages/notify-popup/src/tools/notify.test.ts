import { connectInProcess, firstText, LEGS, type Peer } from '@deskside/testkit';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { popupServer } from '../server.ts';
import { type Script, scriptedPopup } from '../testing/scripted-popup.ts';
import { toAnswer } from './notify.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

interface Form {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Record<string, unknown> };
}
interface Filled {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string>;
}

/** A client that answers every form in the same way, without a display. */
async function connectWithForm(
  leg: (typeof LEGS)[number],
  filled: Filled,
  script: Script = {},
): Promise<{ peer: Peer; forms: Form[] }> {
  const popup = scriptedPopup({ obstacle: { kind: 'no-display', tried: [] }, ...script });
  const peer = await connectInProcess(popupServer(popup), {
    ...leg,
    capabilities: { elicitation: { form: {} } },
  });
  opened.push(popup, peer);
  const forms: Form[] = [];
  const fill = async ({ params }: { params: unknown }) => {
    forms.push(params as Form);
    return { action: filled.action, ...(filled.content === undefined ? {} : { content: filled.content }) };
  };
  if (peer.client instanceof ModernClient) peer.client.setRequestHandler('elicitation/create', fill);
  else peer.client.setRequestHandler(ElicitRequestSchema, fill);
  return { peer, forms };
}

describe.each(LEGS)('in the $era era over $over', (leg) => {
  test.each([
    [{ action: 'accept', content: { reply: ' The blue one' } }, 'User response:  The blue one'],
    [{ action: 'accept', content: { reply: '  ' } }, 'User submitted empty response'],
    [{ action: 'accept', content: {} }, 'User submitted empty response'],
    [{ action: 'decline' }, 'User cancelled the popup'],
    [{ action: 'cancel' }, 'User dismissed the popup'],
  ] as const)(
    'notify without a display asks with a form of the client: %j answers %j',
    async (filled, text) => {
      const { peer, forms } = await connectWithForm(leg, filled);
      expect(firstText(await peer.callTool('notify', { message: 'Which one?' }))).toBe(text);
      expect(forms).toMatchObject([
        { message: 'Which one?', requestedSchema: { properties: { reply: { type: 'string' } } } },
      ]);
    },
  );

  test('notify without a display shows a message without an answer as a form without fields', async () => {
    const { peer, forms } = await connectWithForm(leg, { action: 'accept', content: {} });
    const answer = await peer.callTool('notify', { message: 'Done!', wait_for_response: false });
    expect(firstText(answer)).toBe('✓ Message displayed successfully');
    expect(forms[0]?.requestedSchema.properties).toStrictEqual({});
  });

  test('notify without a display returns an error if elicitation is turned off', async () => {
    const { peer, forms } = await connectWithForm(leg, { action: 'cancel' }, { usesElicitation: false });
    const answer = await peer.callTool('notify', { message: 'Which one?' });
    expect(firstText(answer)).toMatch(/^Error: Cannot display popup - no display available\./);
    expect(answer.isError).toBe(true);
    expect(forms).toStrictEqual([]);
  });
});

test.each([5, 7.5, 300])('the answer after a timeout of %d s names the timeout', (timeout) => {
  expect(toAnswer({ kind: 'timeout' }, { timeout })).toBe(`No response within ${timeout}s timeout`);
});

interface Progress {
  readonly progress: number;
  readonly message?: string | undefined;
}

function callWithProgress({ client }: Peer, onprogress: (progress: Progress) => void, signal: AbortSignal) {
  const request = { name: 'notify', arguments: { message: 'Well?', timeout: 300 } };
  return client instanceof ModernClient
    ? client.callTool(request, { onprogress, signal })
    : client.callTool(request, undefined, { onprogress, signal });
}

test.each(LEGS)(
  'notify reports progress until the answer, and closes the popup of a cancelled call, in the $era era over $over',
  async (leg) => {
    await using popup = scriptedPopup();
    await using peer = await connectInProcess(popupServer(popup), leg);
    const cancel = new AbortController();
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const received: Progress[] = [];
    const call = callWithProgress(
      peer,
      (progress) => {
        if (received.push(progress) === 3) resolve();
      },
      cancel.signal,
    );
    call.catch(() => undefined);
    await enough;
    expect(received[0]?.message).toMatch(
      /^Waiting for the person's answer for \d+ s \(timeout: 300 s on the screen\)$/,
    );
    cancel.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await expect.poll(() => popup.seen).toStrictEqual(['open Well?', 'close Well?']);
  },
);
