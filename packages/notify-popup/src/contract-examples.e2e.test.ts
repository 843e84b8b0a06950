// The calls that the specification prints, with its answers, against the built program and a real window.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingPackages, needs } from './testing/desktop.ts';
import { openSession, type Session } from './testing/session.ts';

const answered = (text: string) => ({ content: [{ type: 'text', text }] });

describe.skipIf(missingPackages.length > 0)(`on a real screen${needs}`, () => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession();
  });
  afterAll(() => session[Symbol.asyncDispose]());

  test.each([
    [
      'Basic Conversation',
      { message: 'What would you like me to help you with today?' },
      'I need help writing a Python script for data processing.',
    ],
    ['With Timeout', { message: 'Please enter your API key:', timeout: 30 }, 'sk-1234...'],
    ['Success with Response', { message: 'Well?' }, 'Hello, this is my reply to the message.'],
  ])('the example "%s" returns exactly what the person types', async (_, args, typed) => {
    const { result } = await session.ask(args);
    session.desktop.type(typed);
    session.desktop.key('Return');
    expect(await result).toStrictEqual(answered(`User response: ${typed}`));
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
    const first = await session.ask({ message: 'first' });
    const second = await session.ask({ message: 'second' });
    expect(await first.result).toStrictEqual(answered('User cancelled or dismissed the popup'));
    await session.desktop.dismiss();
    expect(await second.result).toStrictEqual(answered('User dismissed the popup'));
  });

  test('the outcomes that a key or the clock decides have their printed answers', async () => {
    const timeout = await session.ask({ message: 'Well?', timeout: 5 });
    expect(await timeout.result).toStrictEqual(answered('No response within 5s timeout'));
    const cancelled = await session.ask({ message: 'Well?' });
    session.desktop.key('Escape');
    expect(await cancelled.result).toStrictEqual(answered('User cancelled the popup'));
    const empty = await session.ask({ message: 'Well?' });
    session.desktop.key('Return', 'Return');
    expect(await empty.result).toStrictEqual(answered('User submitted empty response'));
  });
});
