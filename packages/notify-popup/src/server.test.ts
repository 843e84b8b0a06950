import type { Client as ModernClient } from '@modelcontextprotocol/client';
import { readOptions } from '@deskside/core/program';
import {
  connectInProcess,
  describeOptions,
  describeServer,
  firstText,
  LEGS,
  type Peer,
} from '@deskside/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { ConversationHistory } from './history/history.ts';
import { openPopup, type Popup } from './notify-popup.ts';
import { popupOptions } from './options.ts';
import { popupServer } from './server.ts';
import type { Ending, PopupSpec } from './service/presenter.ts';
import { type Script, scriptedPopup } from './testing/scripted-popup.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

type Leg = Pick<Parameters<typeof connectInProcess>[1], 'era' | 'over' | 'capabilities'>;

async function connect(popup: Popup, leg: Leg): Promise<Peer> {
  const peer = await connectInProcess(popupServer(popup), leg);
  opened.push(popup, peer);
  return peer;
}

describeServer({
  name: 'notify-popup',
  open: async () => {
    const popup = scriptedPopup({ person: () => ({ kind: 'submitted', text: 'Go on' }) });
    return { definition: popupServer(popup), [Symbol.asyncDispose]: () => popup[Symbol.asyncDispose]() };
  },
  toolsJson: '../tools.json',
  tokenBudget: 790,
  samples: [{ tool: 'notify', args: { message: 'Shall I?' }, survives: ['User response: Go on'] }],
});

describeOptions({ options: popupOptions, open: openPopup, definition: popupServer });

const TWO = [{ question: 'Which one?' }, { question: 'When?', options: ['Now', 'Later'] }];

const ENDINGS: readonly (readonly [name: string, ending: Ending, text: string])[] = [
  [
    'a reply',
    { kind: 'submitted', text: 'Hello, this is my reply to the message.' },
    'User response: Hello, this is my reply to the message.',
  ],
  ['a reply with its whitespace', { kind: 'submitted', text: '  a\n  b ' }, 'User response:   a\n  b '],
  ['an empty reply', { kind: 'submitted', text: '' }, 'User submitted empty response'],
  ['a blank reply', { kind: 'submitted', text: ' \n\t' }, 'User submitted empty response'],
  ['Cancel', { kind: 'cancelled' }, 'User cancelled the popup'],
  ['the close button', { kind: 'dismissed' }, 'User dismissed the popup'],
  ['a lost window', { kind: 'lost', reason: 'crash' }, 'User dismissed the popup'],
];

describe.each(LEGS.slice(0, 1))('in the $era era over $over', (leg) => {
  test.each(ENDINGS)('notify answers the contract text for %s', async (_, ending, text) => {
    const peer = await connect(scriptedPopup({ person: () => ending }), leg);
    const answer = await peer.callTool('notify', { message: 'Well?' });
    expect(answer.content).toStrictEqual([{ type: 'text', text }]);
    expect(answer.isError ?? false).toBe(false);
    expect(answer).not.toHaveProperty('structuredContent');
  });

  test('notify answers at once if no answer is wanted', async () => {
    const peer = await connect(scriptedPopup(), leg);
    const answer = await peer.callTool('notify', { message: 'Done!', wait_for_response: false });
    expect(firstText(answer)).toBe('✓ Message displayed successfully');
  });

  test('notify returns an error with the reason if no window can open', async () => {
    const obstacle = { kind: 'failed', reason: 'no browser of the Chromium family found' } as const;
    const peer = await connect(scriptedPopup({ obstacle }), leg);
    const answer = await peer.callTool('notify', { message: 'Anybody?' });
    expect(firstText(answer)).toBe('Error: Cannot display popup - no browser of the Chromium family found.');
    expect(answer.isError).toBe(true);
  });

  test.each([
    [{}, 'message'],
    [{ message: '' }, 'message'],
    [{ message: 7 }, 'message'],
    [{ message: '👍'.repeat(10_001) }, 'message'],
    [{ message: 'x', timeout: 4.9 }, 'timeout'],
    [{ message: 'x', timeout: 301 }, 'timeout'],
    [{ message: 'x', theme: 'blue' }, 'theme'],
    [{ message: 'x', wait_for_response: 'no' }, 'wait_for_response'],
    [{ message: 'x', options: 'yes' }, 'options'],
    [{ message: 'x', options: [] }, 'options'],
    [{ message: 'x', options: Array.from('1234567890') }, 'options'],
    [{ message: 'x', options: ['yes', ' '] }, 'options.1'],
    [{ message: 'x', options: ['👍'.repeat(81)] }, 'options.0'],
    [{ message: 'x', questions: [{ question: 'y' }] }, 'questions'],
    [{ message: 'x', questions: [...TWO, ...TWO, ...TWO] }, 'questions'],
    [{ message: 'x', questions: [{ question: 'y' }, { question: ' ' }] }, 'questions.1.question'],
    [{ message: 'x', questions: [{ question: null }, { question: 'y' }] }, 'questions.0.question'],
    [{ message: 'x', questions: [{ question: 'y' }, { question: 'z', options: [] }] }, 'questions.1.options'],
  ])('notify rejects the arguments %j and names %s', async (args, name) => {
    expect(await reject(args, leg)).toMatchObject({
      isError: true,
      failure: {
        error: expect.stringContaining(`"${name}"`),
        code: 'INVALID_ARGUMENT',
        hint: expect.stringMatching(/schema/i),
      },
      popups: [],
    });
  });

  test.each([{ options: ['a'] }, { wait_for_response: false }])(
    'notify rejects several questions with %j',
    async (args) => {
      const { failure } = await reject({ message: 'x', questions: TWO, ...args }, leg);
      expect(failure).toMatchObject({
        code: 'INVALID_ARGUMENT',
        error: expect.stringContaining('questions'),
      });
    },
  );

  test('notify accepts 10,000 code points and ignores unknown arguments', async () => {
    const popup = scriptedPopup({ person: () => ({ kind: 'submitted', text: 'x'.repeat(10_000) }) });
    const peer = await connect(popup, leg);
    const answer = await peer.callTool('notify', { message: '👍'.repeat(10_000), unknown: 'red' });
    expect(firstText(answer)).toBe(`User response: ${'x'.repeat(10_000)}`);
  });
});

describe.each(LEGS)('in the $era era over $over, on every transport', (leg) => {
  test('notify replaces an earlier question of the same conversation', async () => {
    const popup = scriptedPopup({
      person: ({ question }) =>
        question.message === 'second' ? { kind: 'submitted', text: 'two' } : undefined,
    });
    const peer = await connect(popup, leg);
    // Over HTTP a modern client has no other session.
    const conversation = { threadId: 'one' };
    const first = peer.callTool('notify', { message: 'first' }, conversation);
    await expect.poll(() => popup.seen).toStrictEqual(['open first']);
    const second = peer.callTool('notify', { message: 'second' }, conversation);
    expect(firstText(await first)).toBe('User cancelled or dismissed the popup');
    expect(firstText(await second)).toBe('User response: two');
    await expect
      .poll(() => popup.seen)
      .toStrictEqual(['open first', 'close first', 'open second', 'close second']);
  });
});

test('over HTTP, questions of modern clients that name no conversation wait for each other', async () => {
  const popup = scriptedPopup({
    person: ({ question }) =>
      question.message === 'second' ? { kind: 'submitted', text: 'two' } : undefined,
  });
  const { client, callTool } = await connect(popup, { era: 'modern', over: 'http' });
  const stopping = new AbortController();
  const params = { name: 'notify', arguments: { message: 'first' } };
  const first = (client as ModernClient).callTool(params, { signal: stopping.signal });
  await expect.poll(() => popup.seen).toStrictEqual(['open first']);
  const second = callTool('notify', { message: 'second' });
  await expect.poll(() => popup.desk.items.length).toBe(1);
  expect(popup.seen).toStrictEqual(['open first']);
  stopping.abort();
  await expect(first).rejects.toThrow('abort');
  expect(firstText(await second)).toBe('User response: two');
});

/** Calls notify with invalid arguments. @returns its error, and the popups that it opened */
async function reject(args: Record<string, unknown>, leg: Leg) {
  const popup = scriptedPopup();
  const peer = await connect(popup, leg);
  const { isError, ...answer } = await peer.callTool('notify', args);
  return { isError, failure: JSON.parse(firstText(answer)), popups: popup.seen };
}

/** @returns what the popup of a call shows, and the answer to the first quick reply, or to another one */
async function show(args: Record<string, unknown>, script: Script = {}, reply = 'Sure') {
  const shown: PopupSpec[] = [];
  const popup = scriptedPopup({
    ...script,
    person(spec) {
      shown.push(spec);
      return { kind: 'submitted', text: spec.question.options?.[0] ?? reply };
    },
  });
  const peer = await connect(popup, LEGS[0]);
  const answer = firstText(await peer.callTool('notify', { message: 'x', ...args }));
  expect(shown).toHaveLength(1);
  return { ...shown[0], answer };
}

test('omitted arguments get the defaults of the contract', async () => {
  expect((await show({})).question).toStrictEqual({
    message: 'x',
    title: 'VoiceMode',
    kind: 'question',
    theme: 'auto',
    showsHistory: true,
    chimes: false,
    caller: expect.stringMatching(/^testkit/),
    acceptsImages: true,
  });
});

test.each([
  ['dark', undefined, 'dark'],
  ['dark', 'auto', 'dark'],
  ['dark', 'light', 'light'],
  ['auto', undefined, 'auto'],
] as const)('with the setting %s and the argument %s the theme is %s', async (theme, argument, expected) => {
  const { question } = await show({ ...(argument && { theme: argument }) }, { theme });
  expect(question?.theme).toBe(expected);
});

test.each([
  ['', 'VoiceMode'],
  ['\u200B', 'VoiceMode'],
  [' Release', ' Release'],
])('a blank title means the default: %j', async (title, expected) => {
  expect((await show({ title })).question?.title).toBe(expected);
});

test.each([
  [{}, 5],
  [{ 'history-limit': '2' }, 2],
  [{ 'history-limit': '50' }, 7],
  [{ 'history-limit': '0' }, 0],
])('with the flags %j a popup shows the latest %i of seven exchanges', async (flags, count) => {
  const { historyLimit } = readOptions(popupOptions, { flags, env: {} });
  const exchanges = Array.from({ length: 7 }, (_, index) => ({ message: `${index}?`, at: new Date(index) }));
  const history = { recent: async (limit: number) => exchanges.slice(-limit), add: async () => undefined };
  expect((await show({}, { historyLimit, history })).history).toStrictEqual(exchanges.slice(7 - count));
});

test('the images of an answer follow its text', async () => {
  const images = [
    { mimeType: 'image/png', data: 'iVBORw==' },
    { mimeType: 'image/webp', data: 'UklGRg==' },
  ];
  for (const [text, expected] of [
    ['see', 'User response: see'],
    ['', 'User response: '],
  ] as const) {
    const popup = scriptedPopup({ person: () => ({ kind: 'submitted', text, images }) });
    const peer = await connect(popup, { era: 'modern', over: 'http' });
    const { content } = await peer.callTool('notify', { message: 'Which one?' });
    expect(content).toStrictEqual([
      { type: 'text', text: expected },
      ...images.map(({ mimeType, data }) => ({ type: 'image', mimeType, data })),
    ]);
  }
});

test('nine quick replies of 80 characters reach the popup unchanged', async () => {
  const options = Array.from('123456789', (digit) => `${digit}${'👍'.repeat(79)}`);
  const { question, answer } = await show({ options });
  expect(question?.options).toStrictEqual(options);
  expect(answer).toBe(`User response: ${options[0]}`);
});

test('the advertised schema is the schema of the contract, followed by the quick replies and further questions', async () => {
  const peer = await connect(scriptedPopup(), { era: 'modern', over: 'http' });
  const [notify] = await peer.listTools();
  expect(notify).toMatchObject({
    name: 'notify',
    description:
      'Display a message in a popup window and optionally wait for user text response. Use this for silent, text-based conversation instead of voice.',
  });
  const { properties = {}, ...schema } = notify?.inputSchema ?? { type: 'object' };
  const { options, multiple, questions, ...ofContract } = properties;
  expect(Object.keys(properties).slice(-3)).toStrictEqual(['options', 'multiple', 'questions']);
  expect(multiple).toMatchObject({ type: 'boolean' });
  expect(questions).toMatchObject({ type: 'array', minItems: 2, maxItems: 5 });
  expect(options).toMatchObject({ type: 'array', minItems: 1, maxItems: 9 });
  expect({ ...schema, properties: ofContract }).toStrictEqual({
    type: 'object',
    properties: {
      message: {
        type: 'string',
        minLength: 1,
        maxLength: 10_000,
        description: 'The message to display in the popup (1-10,000 characters)',
      },
      wait_for_response: {
        type: 'boolean',
        default: true,
        description: 'Whether to wait for user input. If false, just displays the message.',
      },
      timeout: {
        type: 'number',
        minimum: 5,
        maximum: 300,
        description: 'Optional timeout in seconds for user response (5-300 seconds, default: no timeout)',
      },
      title: { type: 'string', default: 'VoiceMode', description: 'Window title for the popup' },
      show_history: {
        type: 'boolean',
        default: true,
        description: 'Whether to show recent conversation history in the popup',
      },
      chime_enabled: {
        type: 'boolean',
        default: false,
        description: 'Whether to play sound feedback (disabled by default for silent use)',
      },
      theme: {
        type: 'string',
        enum: ['auto', 'light', 'dark'],
        default: 'auto',
        description: "Color theme for the popup. 'auto' matches system setting.",
      },
    },
    required: ['message'],
  });
});

test('a popup shows the history unless show_history is false, and records message and reply', async () => {
  const exchanges = [{ message: 'Before?', reply: 'Yes', at: new Date() }];
  const recorded: string[] = [];
  const history: ConversationHistory = {
    recent: async (limit) => exchanges.slice(-limit),
    add: async (speaker, text) => void recorded.push(`${speaker}: ${text}`),
  };
  expect((await show({ message: 'Now?' }, { history })).history).toStrictEqual(exchanges);
  const empty = await show({ message: 'empty', show_history: false }, { history }, ' ');
  expect(empty.history).toStrictEqual([]);
  expect(recorded).toStrictEqual(['agent: Now?', 'person: Sure', 'agent: empty']);
});

test('a chime plays when the popup opens and after a reply, not after Cancel', async () => {
  const endings: Ending[] = [{ kind: 'submitted', text: 'yes' }, { kind: 'cancelled' }];
  const popup = scriptedPopup({ person: () => endings.shift() });
  const peer = await connect(popup, LEGS[0]);
  await peer.callTool('notify', { message: 'one', chime_enabled: true });
  expect(popup.chimes).toStrictEqual(['start', 'end']);
  await peer.callTool('notify', { message: 'two', chime_enabled: true });
  expect(popup.chimes).toStrictEqual(['start', 'end', 'start']);
});

test('the prompt notify starts a text conversation about its topic', async () => {
  const peer = await connect(scriptedPopup(), { era: 'modern', over: 'stdio' });
  const { messages } = await peer.getPrompt('notify', { topic: 'the garden' });
  expect(messages).toMatchObject([
    { role: 'user', content: { type: 'text', text: expect.stringContaining('It is about: the garden.') } },
  ]);
});
