// The calls that the specification prints, with its answers, against the built program and a real window.
import { cleanEnvironment, temporaryFolder } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingPackages, needs } from './testing/desktop.ts';
import { connectPopup, openSession, type Session } from './testing/session.ts';

const answered = (text: string) => ({ content: [{ type: 'text', text }] });

describe.skipIf(missingPackages.length > 0)(`on a real screen${needs}`, () => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession();
  });
  afterAll(() => session[Symbol.asyncDispose]());

  /** Calls. Resolves when the popup accepts keys. */
  async function ask(args: Record<string, unknown>) {
    const { client, desktop } = session;
    const since = client.now();
    const answer = client.call(args);
    await client.acceptsKeys(since);
    await desktop.popupHasKeyboard();
    return { answer };
  }

  test.each([
    [
      'Basic Conversation',
      { message: 'What would you like me to help you with today?' },
      'I need help writing a Python script for data processing.',
    ],
    ['With Timeout', { message: 'Please enter your API key:', timeout: 30 }, 'sk-1234...'],
    ['Success with Response', { message: 'Well?' }, 'Hello, this is my reply to the message.'],
  ])('the example "%s" returns exactly what the person types', async (_, args, typed) => {
    const { answer } = await ask(args);
    session.desktop.type(typed);
    session.desktop.key('Return');
    expect(await answer).toStrictEqual(answered(`User response: ${typed}`));
  });

  test('the example "Display Only" returns its printed answer when the message is on the screen', async () => {
    const { client, desktop } = session;
    const since = client.now();
    const answer = await client.call({ message: 'Task completed successfully!', wait_for_response: false });
    expect(answer).toStrictEqual(answered('✓ Message displayed successfully'));
    await client.logged('popup shown', since);
    expect(desktop.popup()).toBeDefined();
  });

  test('a call while a popup is displayed closes that with its printed answer, and is displayed', async () => {
    const first = await ask({ message: 'first' });
    const second = await ask({ message: 'second' });
    expect(await first.answer).toStrictEqual(answered('User cancelled or dismissed the popup'));
    await session.desktop.dismiss();
    expect(await second.answer).toStrictEqual(answered('User dismissed the popup'));
  });

  test('the outcomes that a key or the clock decides have their printed answers', async () => {
    const timeout = await ask({ message: 'Well?', timeout: 5 });
    expect(await timeout.answer).toStrictEqual(answered('No response within 5s timeout'));
    const cancelled = await ask({ message: 'Well?' });
    session.desktop.key('Escape');
    expect(await cancelled.answer).toStrictEqual(answered('User cancelled the popup'));
    const empty = await ask({ message: 'Well?' });
    session.desktop.key('Return', 'Return');
    expect(await empty.answer).toStrictEqual(answered('User submitted empty response'));
  });
});

test('without a display the first text is the printed one, and the second says where a display was looked for', async () => {
  await using client = await connectPopup(cleanEnvironment(temporaryFolder()));
  const { content, isError } = await client.call({ message: 'Anybody?' });
  expect(isError).toBe(true);
  expect(content).toMatchObject([
    {
      type: 'text',
      text: 'Error: Cannot display popup - no display available. This feature requires a graphical environment.',
    },
    { type: 'text', text: expect.stringMatching(/DISPLAY is empty\. Ask the person in the conversation/) },
  ]);
});
