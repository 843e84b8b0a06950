import { connectInProcess, firstText, fixedClock, LEGS, type Peer } from '@deskside/testkit';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { testContext } from '@deskside/core/testing';
import { memoryDraftStore } from '../history/drafts.ts';
import type { ConversationHistory } from '../history/history.ts';
import { popupServer } from '../server.ts';
import { connectWithForms, type Filled, type Form } from '../testing/form-client.ts';
import { type Script, scriptedPopup } from '../testing/scripted-popup.ts';
import { notify } from './notify.ts';

/** A client that answers every form in the same way after this time, without a display. */
async function connectWithForm(
  leg: (typeof LEGS)[number],
  filled: Filled,
  script: Script = {},
  tookMs = 2000,
) {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const forms: Form[] = [];
  const peer = await connectWithForms(
    scriptedPopup({ obstacle: NO_DISPLAY, clock, ...script }),
    leg,
    async (form) => {
      forms.push(form);
      clock.advance(tookMs);
      return filled;
    },
  );
  return { peer, forms };
}

const NO_DISPLAY = { kind: 'no-display', tried: [] } as const;
const HEADLESS =
  'Error: Cannot display popup - no display available. This feature requires a graphical environment.';

const OPTIONS = { options: ['Red', 'Blue'] };
const NO_CHOICE = '(own reply, below)';
const ABOUT = expect.stringMatching(/^Answer to test/);
const REPLY = { type: 'string', title: 'Your reply', description: ABOUT };
const EXAMPLES = { description: expect.stringMatching(/^Answer to .+ \(for example "Red", "Blue"\)$/) };
const CHOICE = {
  choice: { enum: [NO_CHOICE, 'Red', 'Blue'] },
  reply: { title: 'Or your own reply', description: ABOUT },
};

const filledWith = (content: Record<string, string>): Filled => ({ action: 'accept', content });

describe.each(LEGS)('in the $era era over $over', (leg) => {
  test.each<[filled: Filled, text: string, args?: object, properties?: object]>([
    [filledWith({ reply: ' The blue one' }), 'User response:  The blue one'],
    [filledWith({ reply: '  ' }), 'User submitted empty response'],
    [filledWith({}), 'User submitted empty response'],
    [{ action: 'decline' }, 'User cancelled the popup'],
    [{ action: 'cancel' }, 'User dismissed the popup'],
    [filledWith({ reply: 'Red' }), 'User response: Red', { ...OPTIONS, multiple: true }, { reply: EXAMPLES }],
    [filledWith({ choice: 'Red', reply: '' }), 'User response: Red', OPTIONS, CHOICE],
    [filledWith({ choice: 'Red', reply: 'Green' }), 'User response: Green', OPTIONS, CHOICE],
    [filledWith({ choice: NO_CHOICE, reply: 'Green' }), 'User response: Green', OPTIONS, CHOICE],
    [filledWith({ choice: NO_CHOICE }), 'User submitted empty response', OPTIONS, CHOICE],
  ])(
    'notify without a display asks with a form of the client: %j answers %j',
    async (filled, text, args = {}, properties = { reply: REPLY }) => {
      const { peer, forms } = await connectWithForm(leg, filled);
      expect(firstText(await peer.callTool('notify', { message: 'Which one?', ...args }))).toBe(text);
      expect(forms).toMatchObject([{ message: 'Which one?', requestedSchema: { properties } }]);
    },
  );

  test('notify asks several questions in one form, with a field for each', async () => {
    const questions = [
      { question: 'Which **database**?', options: ['PostgreSQL', 'SQLite'] },
      // Not given, as some models say it.
      { question: 'When?', options: null, multiple: null },
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
      const obstacle = { kind: 'no-display', tried: ['Looked at :7.'] } as const;
      const { peer } = await connectWithForm(leg, { action }, { obstacle }, 0);
      const answer = await peer.callTool('notify', { message: 'Which one?' });
      expect(firstText(answer)).toBe(HEADLESS);
      expect(answer.isError).toBe(true);
      const reason = /^Looked at :7\. The client declined the form by itself, .+ Ask the person/;
      expect(answer.content[1]).toMatchObject({ text: expect.stringMatching(reason) });
    },
  );

  test('notify without a display returns an error if elicitation is turned off', async () => {
    const { peer, forms } = await connectWithForm(leg, { action: 'cancel' }, { usesElicitation: false });
    const answer = await peer.callTool('notify', { message: 'Which one?' });
    expect(firstText(answer)).toBe(HEADLESS);
    expect(answer.isError).toBe(true);
    expect(forms).toStrictEqual([]);
  });
});

const LEGACY = LEGS.filter(({ era }) => era === 'legacy');
const MODERN = LEGS.filter(({ era }) => era === 'modern');

test.each(LEGACY)('a form of the legacy era over $over is withdrawn at the timeout', async (leg) => {
  const withdrawn = Promise.withResolvers<void>();
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const popup = scriptedPopup({ obstacle: NO_DISPLAY, clock });
  const peer = await connectWithForms(popup, leg, async ({ message }, signal) => {
    if (message === 'The first one?') return filledWith({});
    signal.addEventListener('abort', () => withdrawn.resolve());
    clock.advance(300_000);
    await withdrawn.promise;
    return { action: 'cancel' };
  });
  // This client ignores that the request with the id 0 is withdrawn.
  await peer.callTool('notify', { message: 'The first one?' });
  const answer = await peer.callTool('notify', { message: 'Which one?', timeout: 300 });
  expect(firstText(answer)).toBe('No response within 300s timeout');
  await withdrawn.promise;
});

test.each(LEGACY)('news in a form of the legacy era over $over does not wait for a person', async (leg) => {
  const popup = scriptedPopup({ obstacle: NO_DISPLAY });
  // A client that names no mode has forms.
  const options = { capabilities: { elicitation: {} } };
  const peer = await connectWithForms(popup, leg, () => new Promise(() => undefined), options);
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
    expect(firstText(answer)).toBe(HEADLESS);
    expect(forms).toStrictEqual([]);
  },
);

const SHOP = { env: {}, workingDirectory: '/home/anna/shop' };

test.each([
  ['by an attached client is recorded for its folder', SHOP, 'stdio', '/home/anna', '/home/anna/shop'],
  [
    'by a client that names a folder is recorded for that',
    { ...SHOP, env: { CLAUDE_PROJECT_DIR: '/srv/shop' } },
    'stdio',
    '/home/anna',
    '/srv/shop',
  ],
  ['over stdio is recorded for the folder of this process', undefined, 'stdio', '/home/anna', '/home/anna'],
  ['over stdio has no folder if that of this process was deleted', undefined, 'stdio', '', undefined],
  ['over HTTP has no folder', undefined, 'http', '/home/anna', undefined],
] as const)('what is asked %s', async (_, client, transport, own, folder) => {
  const written: unknown[] = [];
  const scopes: unknown[] = [];
  const history: ConversationHistory = {
    recent: async (_limit, scope) => (scopes.push(scope), []),
    add: async (speaker, text, origin) => void written.push([speaker, text, origin.id, origin.folder]),
  };
  await using popup = scriptedPopup({ history, person: () => ({ kind: 'submitted', text: 'Yes' }) });
  const process = client && { pid: 1, ...client };
  const ctx = testContext({ correlationId: 'a', caller: { process, project: 'shop' }, transport });
  await notify.call({ message: 'Keep it?' }, { ...popup, folder: own }, ctx);
  expect(written).toStrictEqual([
    ['agent', 'Keep it?', 'a', folder],
    ['person', 'Yes', 'a', folder],
  ]);
  expect(scopes).toStrictEqual([{ id: 'a', project: 'shop', folder, caller: 'test' }]);
});

test('several questions are one popup, one entry of the history and one line of the queue', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
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
  // No progress follows the answer.
  expect(vi.getTimerCount()).toBe(0);
  expect(written).toStrictEqual(['Before I start:\n\n1. Which one?\n2. When?']);
  expect(asked[0]).toBe(written[0]);
  expect(await drafts.list()).toMatchObject([{ question: 'Which one?', text: 'half' }]);
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
