import { connectInProcess, firstText, LEGS, type Peer } from '@deskside/testkit';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { popupServer } from '../server.ts';
import { type Script, scriptedPopup } from '../testing/scripted-popup.ts';

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

/** A client whose person fills every form in the same way. */
async function connect(
  leg: (typeof LEGS)[number],
  filled: Filled,
  script: Script = {},
): Promise<{ peer: Peer; forms: Form[] }> {
  const popup = scriptedPopup({ obstacle: { kind: 'no-display' }, ...script });
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

describe.each(LEGS)('without a display, in the $era era over $over', (leg) => {
  test.each([
    [{ action: 'accept', content: { reply: ' The blue one' } }, 'User response:  The blue one'],
    [{ action: 'accept', content: { reply: '  ' } }, 'User submitted empty response'],
    [{ action: 'accept', content: {} }, 'User submitted empty response'],
    [{ action: 'decline' }, 'User cancelled the popup'],
    [{ action: 'cancel' }, 'User dismissed the popup'],
  ] as const)('the client’s form answers %j', async (filled, text) => {
    const { peer, forms } = await connect(leg, filled);
    expect(firstText(await peer.callTool('notify', { message: 'Which one?' }))).toBe(text);
    expect(forms).toMatchObject([
      { message: 'Which one?', requestedSchema: { properties: { reply: { type: 'string' } } } },
    ]);
  });

  test('a message that wants no answer is a form without fields', async () => {
    const { peer, forms } = await connect(leg, { action: 'accept', content: {} });
    const answer = await peer.callTool('notify', { message: 'Done!', wait_for_response: false });
    expect(firstText(answer)).toBe('✓ Message displayed successfully');
    expect(forms[0]?.requestedSchema.properties).toStrictEqual({});
  });

  test('is an error where the option is off', async () => {
    const { peer, forms } = await connect(leg, { action: 'cancel' }, { usesElicitation: false });
    const answer = await peer.callTool('notify', { message: 'Which one?' });
    expect(firstText(answer)).toMatch(/^Error: Cannot display popup - no display available\./);
    expect(answer.isError).toBe(true);
    expect(forms).toStrictEqual([]);
  });
});
