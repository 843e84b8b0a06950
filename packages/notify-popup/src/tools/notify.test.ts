import { connectInProcess, firstText, fixedClock, LEGS, type Peer } from '@deskside/testkit';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { testContext } from '@deskside/core/testing';
import { memoryDraftStore } from '../history/drafts.ts';
import type { ConversationHistory } from '../history/history.ts';
import { popupServer } from '../server.ts';
import { type Script, scriptedPopup } from '../testing/scripted-popup.ts';
import { notify, toAnswer } from './notify.ts';

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

/** A client that answers every form in the same way after this time, without a display. */
async function connectWithForm(
  leg: (typeof LEGS)[number],
  filled: Filled,
  script: Script = {},
  tookMs = 2000,
): Promise<{ peer: Peer; forms: Form[] }> {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const popup = scriptedPopup({ obstacle: { kind: 'no-display', tried: [] }, clock, ...script });
  const peer = await connectInProcess(popupServer(popup), {
    ...leg,
    capabilities: { elicitation: { form: {} } },
  });
  opened.push(popup, peer);
  const forms: Form[] = [];
  const fill = async ({ params }: { params: unknown }) => {
    forms.push(params as Form);
    clock.advance(tookMs);
    return { action: filled.action, ...(filled.content === undefined ? {} : { content: filled.content }) };
  };
  if (peer.client instanceof ModernClient) peer.client.setRequestHandler('elicitation/create', fill);
  else peer.client.setRequestHandler(ElicitRequestSchema, fill);
  return { peer, forms };
}

const HEADLESS = /^Error: Cannot display popup - no display available\./;

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

  test('null for an optional argument of a question means not given', async () => {
    const questions = [{ question: 'a', options: null, multiple: null }, { question: 'b' }];
    const filled = { action: 'accept', content: { reply_1: 'x' } } as const;
    const { peer } = await connectWithForm(leg, filled);
    expect(firstText(await peer.callTool('notify', { message: 'm', questions }))).toBe(
      'User response: 1. a\n> x\n2. b\n(not answered)',
    );
    const wrong = [{ question: null }, { question: 'b' }];
    expect(firstText(await peer.callTool('notify', { message: 'm', questions: wrong }))).toContain(
      'questions.0.question',
    );
  });

  test('notify asks several questions in one form, with a field for each', async () => {
    const questions = [
      { question: 'Which **database**?', options: ['PostgreSQL', 'SQLite'] },
      { question: 'When?' },
    ];
    const content = { reply_1: 'SQLite', reply_2: ' ' };
    const { peer, forms } = await connectWithForm(leg, { action: 'accept', content });
    const answer = await peer.callTool('notify', { message: 'Before I start:', questions });
    expect(firstText(answer)).toBe(
      'User response: 1. Which **database**?\n> SQLite\n2. When?\n(not answered)',
    );
    expect(forms).toMatchObject([
      {
        message: 'Before I start:',
        requestedSchema: {
          properties: {
            reply_1: {
              title: 'Which database?',
              description: 'Which **database**? (for example "PostgreSQL", "SQLite")',
            },
            reply_2: { title: 'When?' },
          },
        },
      },
    ]);
  });

  test('notify asks with a form if no browser opens', async () => {
    const obstacle = { kind: 'failed', reason: 'no Firefox found' } as const;
    const { peer } = await connectWithForm(leg, { action: 'accept', content: { reply: 'go' } }, { obstacle });
    expect(firstText(await peer.callTool('notify', { message: 'Which one?' }))).toBe('User response: go');
  });

  test.each(['decline', 'cancel'] as const)(
    'a client that answers %s in no time has not asked a person',
    async (action) => {
      const { peer } = await connectWithForm(leg, { action }, {}, 0);
      const answer = await peer.callTool('notify', { message: 'Which one?' });
      expect(firstText(answer)).toMatch(HEADLESS);
      expect(answer.isError).toBe(true);
      expect(JSON.stringify(answer.content)).toContain('The client declined the form by itself');
    },
  );

  test('a form is written to the history with its answer', async () => {
    const written: string[] = [];
    const history = {
      recent: async () => [],
      add: async (_: string, text: string) => void written.push(text),
    };
    const filled = { action: 'accept', content: { reply: 'blue' } } as const;
    const { peer } = await connectWithForm(leg, filled, { history });
    await peer.callTool('notify', { message: 'Which one?' });
    expect(written).toStrictEqual(['Which one?', 'blue']);
  });

  test('notify without a display returns an error if elicitation is turned off', async () => {
    const { peer, forms } = await connectWithForm(leg, { action: 'cancel' }, { usesElicitation: false });
    const answer = await peer.callTool('notify', { message: 'Which one?' });
    expect(firstText(answer)).toMatch(HEADLESS);
    expect(answer.isError).toBe(true);
    expect(forms).toStrictEqual([]);
  });
});

test.each(['', ' ', '\u200B'])('a blank title means the default: %j', async (title) => {
  const titles: string[] = [];
  await using popup = scriptedPopup({
    person(spec) {
      titles.push(spec.question.title);
      return { kind: 'cancelled' };
    },
  });
  await notify.call({ message: 'Which one?', title }, popup, testContext());
  await notify.call({ message: 'Which one?', title: ' Release' }, popup, testContext());
  expect(titles).toStrictEqual(['VoiceMode', ' Release']);
});

const LEGACY = LEGS.filter(({ era }) => era === 'legacy');
const MODERN = LEGS.filter(({ era }) => era === 'modern');

test.each(LEGACY)('a form of the legacy era over $over is withdrawn at the timeout', async (leg) => {
  const withdrawn = Promise.withResolvers<void>();
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const { peer } = await connectWithForm(leg, { action: 'accept', content: {} }, { clock });
  if (peer.client instanceof ModernClient) throw new Error('not a legacy client');
  // This client ignores that the request with the id 0 is withdrawn.
  await peer.callTool('notify', { message: 'The first one?' });
  peer.client.setRequestHandler(ElicitRequestSchema, async (_, { signal }) => {
    signal.addEventListener('abort', () => withdrawn.resolve());
    clock.advance(300_000);
    await withdrawn.promise;
    return { action: 'cancel' };
  });
  const answer = await peer.callTool('notify', { message: 'Which one?', timeout: 300 });
  expect(firstText(answer)).toBe('No response within 300s timeout');
  await withdrawn.promise;
});

test.each(LEGACY)('news in a form of the legacy era over $over does not wait for a person', async (leg) => {
  const popup = scriptedPopup({ obstacle: { kind: 'no-display', tried: [] } });
  const peer = await connectInProcess(popupServer(popup), { ...leg, capabilities: { elicitation: {} } });
  opened.push(popup, peer);
  if (peer.client instanceof ModernClient) throw new Error('not a legacy client');
  peer.client.setRequestHandler(ElicitRequestSchema, () => new Promise(() => undefined));
  const answer = await peer.callTool('notify', { message: 'Done!', wait_for_response: false });
  expect(answer.content).toMatchObject([
    { text: '✓ Message displayed successfully' },
    { text: expect.stringContaining('may not have seen it') },
  ]);
});

test.each(MODERN)(
  'news in the modern era over $over blocks no agent: without a display it is an error',
  async (leg) => {
    const { peer, forms } = await connectWithForm(leg, { action: 'accept', content: {} });
    const answer = await peer.callTool('notify', { message: 'Done!', wait_for_response: false });
    expect(firstText(answer)).toMatch(HEADLESS);
    expect(forms).toStrictEqual([]);
  },
);

test.each(MODERN)('in the modern era over $over an answer after the timeout becomes a draft', async (leg) => {
  const filled = { action: 'accept', content: { reply: 'blue' } } as const;
  const drafts = memoryDraftStore();
  const { peer } = await connectWithForm(leg, filled, { drafts }, 5001);
  const answer = await peer.callTool('notify', { message: 'Which one?', timeout: 5 });
  expect(firstText(answer)).toBe('No response within 5s timeout');
  expect(await drafts.list()).toMatchObject([{ text: 'blue', question: 'Which one?' }]);
});

test.each([
  ['the folder of the attached client', { env: {}, workingDirectory: '/home/anna/shop' }, '/home/anna/shop'],
  [
    'the folder that the client names',
    { env: { CLAUDE_PROJECT_DIR: '/srv/shop' }, workingDirectory: '/' },
    '/srv/shop',
  ],
  ['the folder of this process', undefined, '/home/anna/project'],
])('what is asked over stdio is recorded for %s', async (_, client, folder) => {
  const written: unknown[] = [];
  const history: ConversationHistory = {
    recent: async (_limit, scope) => [{ message: JSON.stringify(scope), at: new Date(0) }],
    add: async (speaker, text, origin) => void written.push([speaker, text, origin.id, origin.folder]),
  };
  const shown: unknown[] = [];
  await using popup = scriptedPopup({
    history,
    person(spec) {
      shown.push(JSON.parse(spec.history[0]?.message ?? ''));
      return { kind: 'submitted', text: 'Yes' };
    },
  });
  const process = client && { pid: 1, ...client };
  const ctx = testContext({ correlationId: 'a', caller: { process, project: 'shop' } });
  await notify.call({ message: 'Keep it?' }, popup, ctx);
  expect(written).toStrictEqual([
    ['agent', 'Keep it?', 'a', folder],
    ['person', 'Yes', 'a', folder],
  ]);
  expect(shown).toMatchObject([{ id: 'a', project: 'shop', folder, caller: 'test' }]);
});

test('several questions are one popup, one entry of the history and one line of the queue', async () => {
  const written: string[] = [];
  const history: ConversationHistory = {
    recent: async () => [],
    add: async (_, text) => void written.push(text),
  };
  const drafts = memoryDraftStore();
  await using popup = scriptedPopup({
    history,
    drafts,
    person: (spec) => (spec.onDraft('half'), { kind: 'cancelled' }),
  });
  const asked: unknown[] = [];
  popup.inbox.subscribe((change) => change.kind === 'open' && asked.push(change.item.message));
  const questions = [{ question: 'Which one?' }, { question: 'When?' }];
  expect(await notify.call({ message: 'Before I start:', questions }, popup, testContext())).toMatchObject({
    content: [{ text: 'User cancelled the popup' }],
  });
  expect(written).toStrictEqual(['Before I start:\n\n1. Which one?\n2. When?']);
  expect(asked[0]).toBe(written[0]);
  expect(await drafts.list()).toMatchObject([{ question: 'Which one?', text: 'half' }]);
});

test.each([
  ['over HTTP', 'http', '/home/me/project'],
  ['over stdio, if the folder of this process was deleted,', 'stdio', ''],
] as const)('what is asked %s has no folder', async (_, transport, folder) => {
  const folders: unknown[] = [];
  const history: ConversationHistory = {
    recent: async () => [],
    add: async (_exchange, __, about) => void folders.push(about.folder),
  };
  await using popup = scriptedPopup({ history, person: () => ({ kind: 'cancelled' }) });
  await notify.call({ message: 'Keep it?' }, { ...popup, folder }, testContext({ transport }));
  expect(folders).toStrictEqual([undefined]);
});

test('the error without a display says where a display was looked for', async () => {
  const tried = ['DISPLAY is :7, but no X server answers there.'];
  await using popup = scriptedPopup({ obstacle: { kind: 'no-display', tried } });
  await using peer = await connectInProcess(popupServer(popup), { era: 'modern', over: 'stdio' });
  const { content } = await peer.callTool('notify', { message: 'Which one?' });
  expect(content[1]).toMatchObject({ text: expect.stringMatching(/^DISPLAY is :7, but .+ Ask the person/) });
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
