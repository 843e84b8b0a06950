import type { RequestContext } from '@deskside/core';
import { testContext } from '@deskside/core/testing';
import { noJournal } from '@deskside/desktop';
import { firstText, fixedClock } from '@deskside/testkit';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { openUiToast } from '../ui-toast.ts';
import { showNotification } from './show-notification.ts';

/** Made of the id `new` and the caller's key. */
const ID = 'eb683cbf-5afb-820b-8350-0a001a33d719';
const AT = '2026-11-21T09:30:00.000Z';

/** The context of a client that declares these extensions. */
function from(...names: readonly string[]): RequestContext {
  const extensions = Object.fromEntries(names.map((name) => [name, {}]));
  return testContext({ caller: { client: undefined }, input: { capabilities: { extensions } } });
}

const context = from('io.modelcontextprotocol/ui');

async function call(args: unknown, from = context, toaster = false): Promise<unknown> {
  const toast = openUiToast({ toaster }, { newId: () => 'new', clock: fixedClock(AT) });
  const result: CallToolResult = await showNotification.call(args, toast, from).then(finished);
  const answer: unknown = JSON.parse(firstText(result));
  expect(result.structuredContent).toEqual(result.isError === true ? undefined : answer);
  return answer;
}

function finished(result: CallToolResult | InputRequiredResult): CallToolResult {
  if (!Array.isArray(result['content'])) throw new Error('the call asked for more');
  return result as CallToolResult;
}

const simple = { message: 'Build failed', severity: 'error' } as const;

const persistent = {
  message: "New agent 'Analytics Pro' is now available in the registry",
  severity: 'info',
  title: 'New Agent Available',
  duration: 0,
  actions: [{ label: 'Later', action: 'dismiss' }],
  position: 'top-center',
};

test('show_notification returns its keys in the contract order, and omits what is empty', async () => {
  const { notification } = (await call({ ...persistent, nonsense: 1 })) as { notification: object };
  expect(Object.keys(notification).join(' ')).toBe(
    'id message severity title duration actions position timestamp',
  );
  for (const title of [' ', '\u200B']) {
    expect(await call({ ...simple, title, actions: [], duration: null, position: null })).toEqual({
      notification: { id: ID, ...simple, duration: 5000, position: 'top-right', timestamp: AT },
    });
  }
});

test.each([
  ['accepts an emoji as message', { message: '❤️' }, { message: '❤️' }],
  [
    'replaces half a surrogate pair, which many clients cannot read',
    { message: 'a\uD800b' },
    { message: 'a\uFFFDb' },
  ],
  ['trims texts', { message: '  hi\n', title: ' t ' }, { message: 'hi', title: 't' }],
  ['accepts a decimal string as duration', { duration: '3000' }, { duration: 3000 }],
  ['accepts zero in a string as duration', { duration: ' 0 ' }, { duration: 0 }],
  ['accepts a duration of 30000 ms', { duration: 30_000 }, { duration: 30_000 }],
  ['accepts a duration of 1 ms', { duration: 1 }, { duration: 1 }],
  ['counts the message in code points', { message: '😀'.repeat(500) }, { message: '😀'.repeat(500) }],
  ['accepts a title of 100 characters', { title: 'x'.repeat(100) }, { title: 'x'.repeat(100) }],
  [
    'accepts a label of 100 and a prompt of 2000 characters',
    { actions: [{ label: '😀'.repeat(100), action: 'prompt', prompt: '😀'.repeat(2000) }] },
    { actions: [{ label: '😀'.repeat(100), action: 'prompt', prompt: '😀'.repeat(2000) }] },
  ],
  [
    'takes null inside of an action as not given',
    { actions: [{ label: 'OK', action: 'dismiss', prompt: null }] },
    { actions: [{ label: 'OK', action: 'dismiss' }] },
  ],
  [
    'drops the prompt of a dismiss action',
    { actions: [{ label: ' OK ', action: 'dismiss', prompt: 'x' }] },
    { actions: [{ label: 'OK', action: 'dismiss' }] },
  ],
])('show_notification %s', async (_, args, expected) => {
  expect(await call({ ...simple, ...args })).toMatchObject({ notification: expected });
});

const prompt = { label: 'Logs', action: 'prompt', prompt: 'show me the logs' };
const SEVERITY_CHOICES = 'Must be one of: info, success, warning, error';
const POSITION_CHOICES = 'Must be one of: top-right, top-center, bottom-right';
const DURATION = 'Duration must be between 0 and 30000ms';

test.each([
  [{ message: undefined }, 'Missing required parameter: message'],
  [{ message: null }, 'Missing required parameter: message'],
  [{ message: ' \n' }, 'Message cannot be empty'],
  [{ message: '\u2060 \uFE0F\u200D' }, 'Message cannot be empty'],
  [{ message: 7 }, 'Message must be a string'],
  [{ message: 'x'.repeat(501) }, 'Message too long (max 500 characters)'],
  [{ severity: undefined }, 'Missing required parameter: severity'],
  [{ severity: { level: 3 } }, `Invalid severity: an object. ${SEVERITY_CHOICES}`],
  [{ severity: '😀'.repeat(60) }, `Invalid severity: "${'😀'.repeat(39)}…. ${SEVERITY_CHOICES}`],
  [{ severity: 3 }, `Invalid severity: 3. ${SEVERITY_CHOICES}`],
  [{ severity: 'a\u001B[31m' }, `Invalid severity: "a\\u{1b}[31m". ${SEVERITY_CHOICES}`],
  [{ title: 'x'.repeat(101) }, 'Title too long (max 100 characters)'],
  [{ title: [] }, 'Title must be a string'],
  [{ duration: 30_001 }, DURATION],
  [{ duration: -1 }, DURATION],
  [{ duration: 0.5 }, DURATION],
  [{ duration: Number.NaN }, DURATION],
  [{ duration: '' }, DURATION],
  [{ duration: '0x10' }, DURATION],
  [{ duration: true }, DURATION],
  [{ actions: [1, 2, 3, 4] }, 'Maximum 3 actions allowed'],
  [{ actions: 'View Logs' }, 'Actions must be an array'],
  [{ actions: ['View Logs'] }, 'Invalid action: "View Logs". Must be an object'],
  [
    { actions: [{ ...prompt, action: 'open' }] },
    `Invalid action type: "open". Must be 'dismiss' or 'prompt'`,
  ],
  [{ actions: [{ label: 'x' }] }, 'Missing required parameter: action'],
  [{ actions: [{ action: 'dismiss' }] }, 'Missing required parameter: label'],
  [{ actions: [{ ...prompt, label: '\u2061' }] }, 'Label cannot be empty'],
  [{ actions: [{ ...prompt, prompt: '\u2063\u{E0073}' }] }, 'Action type "prompt" requires a prompt string'],
  [{ actions: [{ ...prompt, label: 'x'.repeat(101) }] }, 'Label too long (max 100 characters)'],
  [{ actions: [{ label: 'x', action: 'prompt' }] }, 'Action type "prompt" requires a prompt string'],
  [{ actions: [{ ...prompt, prompt: 'x'.repeat(2001) }] }, 'Prompt too long (max 2000 characters)'],
  [{ position: 'left' }, `Invalid position: "left". ${POSITION_CHOICES}`],
  [{ loading: 'yes' }, 'Loading must be true or false'],
  [{ id: 'a b' }, 'Invalid id'],
  [{ id: 'x'.repeat(65) }, 'Invalid id'],
  [{ message: 7, severity: 'fatal', duration: -1 }, 'Message must be a string'],
  [{ duration: -1, actions: [{}], position: 'left', id: '' }, DURATION],
])('show_notification rejects %j: %s', async (args, error) => {
  expect(await call({ ...simple, ...args })).toEqual({
    error,
    code: 'INVALID_ARGUMENT',
    hint: expect.stringMatching(/\S/),
  });
});

async function idFor(args: object, key: string): Promise<string> {
  const caller = { ...context.caller, key };
  const { notification } = (await call({ ...simple, ...args }, { ...context, caller })) as {
    notification: { id: string };
  };
  return notification.id;
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/;

test('the same id of the same caller gives the same notification, another caller gets another one', async () => {
  const first = await idFor({ id: 'deploy-42' }, 'ann');
  expect(await idFor({ id: 'deploy-42' }, 'ann')).toBe(first);
  const others = [await idFor({ id: 'deploy-42' }, 'ben'), await idFor({ id: 'deploy-43' }, 'ann')];
  expect(new Set([first, ...others]).size).toBe(3);
  // The id of an answer names it, too, also one that was made.
  for (const id of [first, await idFor({ loading: true }, 'ann')]) {
    expect(id).toMatch(UUID);
    expect(await idFor({ id }, 'ann')).toBe(id);
    expect(await idFor({ id }, 'ben')).not.toBe(id);
  }
});

test('a notification in progress says so, as its last key', async () => {
  const { notification } = (await call({ ...simple, loading: true })) as { notification: object };
  expect(Object.entries(notification).at(-1)).toEqual(['loading', true]);
  expect(await call({ ...simple, loading: false })).not.toHaveProperty('notification.loading');
});

test('a client that shows no toasts gets a note beside the notification', async () => {
  expect(await call(simple, from())).toEqual({
    notification: { id: ID, ...simple, duration: 5000, position: 'top-right', timestamp: AT },
    note: 'This client may not show toasts. Tell the person in the chat.',
  });
  for (const name of ['io.modelcontextprotocol/ui', 'io.github.deskside/toaster']) {
    expect(await call(simple, from(name))).not.toHaveProperty('note');
  }
  expect(await call(simple, from(), true)).not.toHaveProperty('note');
});

test.each([true, false])(
  'the note names log_notify only if the client is offered it: %s',
  async (isOffered) => {
    const asked: string[] = [];
    const offers = async (tool: string) => asked.push(tool) > 0 && isOffered;
    const { note } = (await call(simple, { ...from(), offers })) as { note: string };
    const other = isOffered ? ' or with log_notify' : '';
    expect([note, asked]).toEqual([
      `This client may not show toasts. Tell the person in the chat${other}.`,
      ['log_notify'],
    ]);
  },
);

test('show_notification records each notification that it accepts', async () => {
  const recorded: string[][] = [];
  const journal = {
    ...noJournal,
    begin: (start: Parameters<typeof noJournal.begin>[0]) => ({
      ...noJournal.begin(start),
      end: (outcome: string) => void recorded.push([start.id ?? '', start.kind, start.caller, outcome]),
    }),
  };
  const toast = openUiToast({}, { journal });
  await showNotification.call(simple, toast, context);
  await showNotification.call({}, toast, context);
  expect(recorded).toEqual([['test', 'notification', 'test', 'ok']]);
});

test("show_notification advertises the contract's limits and defaults", () => {
  const { inputSchema } = showNotification.list(context);
  expect(inputSchema).toMatchObject({
    required: ['message', 'severity'],
    properties: {
      message: { type: 'string', minLength: 1, maxLength: 500 },
      severity: { type: 'string', enum: ['info', 'success', 'warning', 'error'] },
      title: { type: 'string', maxLength: 100 },
      duration: { type: 'number', minimum: 0, maximum: 30_000, default: 5000 },
      actions: { type: 'array', maxItems: 3, items: { required: ['label', 'action'] } },
      position: { enum: ['top-right', 'top-center', 'bottom-right'], default: 'top-right' },
      id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
      loading: { type: 'boolean', default: false },
    },
  });
});
