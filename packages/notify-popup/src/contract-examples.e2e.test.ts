// The calls that the specification prints, with its answers, against the built program and a real window.
import { join } from 'node:path';
import { connectHttp, startProgram } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { missingPackages, needs, waitFor } from './testing/desktop.ts';
import { browserProcesses, openSession, type Session } from './testing/session.ts';

const bin = join(import.meta.dirname, '../dist/bin/cli.js');
const TOKEN = 'a-token-for-several-agents-of-one-person';

const content = (text: string) => [{ type: 'text', text }];

const BASIC = {
  args: { message: 'What would you like me to help you with today?' },
  typed: 'I need help writing a Python script for data processing.',
  printed: 'User response: I need help writing a Python script for data processing.',
};
/** The second Enter is for no question: the guard of the next one has begun. An empty answer needs both. */
const ENTER = ['Return', 'Return'];
/** What four agents ask, with the title of the window, and what the person does. */
const ASKED = [
  { name: 'VoiceMode', keys: ENTER, ...BASIC },
  {
    name: 'Success with Response',
    args: { message: 'Well?', title: 'Success with Response' },
    typed: 'Hello, this is my reply to the message.',
    keys: ENTER,
    printed: 'User response: Hello, this is my reply to the message.',
  },
  {
    name: 'Empty Input',
    args: { message: 'Well?', title: 'Empty Input' },
    typed: '',
    keys: ENTER,
    printed: 'User submitted empty response',
  },
  {
    name: 'User Cancelled',
    args: { message: 'Well?', title: 'User Cancelled' },
    typed: 'half',
    keys: ['Escape'],
    printed: 'User cancelled the popup',
  },
];

describe.skipIf(missingPackages.length > 0)(`on a real screen${needs}`, () => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession();
  });
  afterAll(() => session[Symbol.asyncDispose]());

  test('the example "Basic Conversation" and what else the person types, asked by four agents, are answered in one window', async () => {
    const { desktop, home } = session;
    const server = startProgram({
      command: process.execPath,
      args: [bin, '--http', '--port', '0', '--log-level', 'debug'],
      env: { ...desktop.env, DESKSIDE_TOKEN: TOKEN },
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const [, url = ''] = await server.printed(/serves MCP at (\S+)/);
    const count = (message: string) => server.stderr().split(`"message":"${message}"`).length - 1;
    const answers = ASKED.map(async ({ args }, index) => {
      const agent = await connectHttp(url, { era: 'legacy', token: TOKEN });
      onTestFinished(() => agent[Symbol.asyncDispose]());
      if (index > 0) await waitFor(() => count('popup queue changed') >= index, `${index} wait`);
      return agent.callTool('notify', args);
    });
    await waitFor(() => count('popup queue changed') >= 3, 'three wait');
    const windows = new Set<string | undefined>();
    const browsers = new Set<number>();
    for (const [index, { name, typed, keys, printed }] of ASKED.entries()) {
      const isShown = () => desktop.popup()?.title.split(' - ')[0] === name;
      await waitFor(() => count('popup accepts keys') > index && isShown(), `${name} accepts keys`);
      windows.add(desktop.popup()?.id);
      browsers.add(Math.min(...browserProcesses(home)));
      await desktop.popupHasKeyboard();
      desktop.type(typed);
      desktop.key(...keys);
      expect((await answers[index])?.content).toStrictEqual(content(printed));
    }
    expect([windows.size, browsers.size]).toStrictEqual([1, 1]);
    await waitFor(() => browserProcesses(home).length === 0, 'the window closes when none waits');
  });

  test('the example "Display Only" returns its printed answer when the message is on the screen', async () => {
    const { client, desktop } = session;
    const since = client.now();
    const answer = await client.call({ message: 'Task completed successfully!', wait_for_response: false });
    expect(answer).toStrictEqual({ content: content('✓ Message displayed successfully') });
    await client.logged('popup shown', since);
    expect(desktop.popup()).toBeDefined();
  });

  test('a call while a popup is displayed, here the example "With Timeout", closes that with its printed answer, and is displayed', async () => {
    const first = await session.ask(BASIC.args);
    const second = await session.ask({ message: 'Please enter your API key:', timeout: 30 });
    expect(await first.result).toStrictEqual({ content: content('User cancelled or dismissed the popup') });
    session.desktop.type('sk-1234...');
    session.desktop.key('Return');
    expect(await second.result).toStrictEqual({ content: content('User response: sk-1234...') });
  });
});
