import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client as ModernClient } from '@modelcontextprotocol/client';
import type { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import {
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import {
  connectInProcess,
  describeOptions,
  describeServer,
  firstText,
  LEGS,
  temporaryFolder,
} from '@deskside/testkit';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openLogNotify } from './log-notify.ts';
import { parseJsonLine } from './notification/json-line.ts';
import { logNotifyOptions } from './options.ts';
import { logNotifyServer } from './server.ts';
import { contractRows } from './testing/contract-rows.ts';
import { markFollowed } from './sinks/file/followers.ts';
import { hostileTexts, unsafeIn } from './testing/hostile-texts.ts';
import { startReceiver } from './testing/receiver.ts';
import { journalIn } from './testing/storage.ts';
import { linesIn } from './testing/written-lines.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

/** Leaves only the file, so that tests print nothing and raise no desktop notification. */
const FILE_ONLY = '[stderr]\nenabled = false\n[desktop]\nenabled = false\n';

async function openTestServer(leg: (typeof LEGS)[number], toml = '') {
  const folder = temporaryFolder();
  const [config, file] = [join(folder, 'log-notify.toml'), join(folder, 'notify.jsonl')];
  writeFileSync(config, `${toml}\n${FILE_ONLY}`);
  const reports: string[] = [];
  const journal = journalIn(folder);
  const report = (sentence: string) => void reports.push(sentence);
  const logNotify = openLogNotify({ config, file }, { report, journal });
  const peer = await connectInProcess(logNotifyServer(logNotify), leg);
  opened.push(journal, logNotify, peer);
  return {
    peer,
    /** Calls the tool while a person follows the file. */
    notify(args: Readonly<Record<string, unknown>>) {
      markFollowed(file);
      return peer.callTool('notify', { ...args });
    },
    logNotify,
    reports,
    /** How each notification ended, as the journal has it. */
    outcomes: async () => (await journal.records({ kind: 'notification' })).map(({ outcome }) => outcome),
    config,
    /** The notifications in the file, after all deliveries. */
    async written() {
      await logNotify.settled();
      return linesIn(file).flatMap((line) => parseJsonLine(line) ?? []);
    },
  };
}

describeOptions({
  options: logNotifyOptions,
  open: (values) => openLogNotify(values, { journal: journalIn('/nowhere'), report: () => undefined }),
  definition: logNotifyServer,
  env: { LOG_NOTIFY_SLACK_URL: 'https://example.org/slack' },
});

describeServer({
  name: 'log-notify',
  open: async () => {
    // A configuration that does not exist, so that the developer's own is not used.
    const logNotify = openLogNotify(
      { config: '/nowhere/log-notify.toml', filter: 'off' },
      { journal: journalIn('/nowhere'), report: () => undefined },
    );
    return {
      definition: logNotifyServer(logNotify),
      [Symbol.asyncDispose]: () => logNotify[Symbol.asyncDispose](),
    };
  },
  toolsJson: '../tools.json',
  tokenBudget: 500,
  samples: [
    {
      tool: 'notify',
      args: { message: 'Milk is out' },
      survives: ['Notification sent: Milk is out', 'No sink accepted the message'],
    },
  ],
});

test.each(LEGS)('in the $era era over $over, every contract example is answered and written', async (leg) => {
  const { notify, outcomes, written } = await openTestServer(leg);
  for (const { args } of contractRows) {
    const answer = await notify(args);
    expect(answer.content).toStrictEqual([
      { type: 'text', text: `Notification sent: ${String(args['message'])}` },
    ]);
    expect(answer.isError).toBe(false);
    expect(answer).not.toHaveProperty('structuredContent');
    expect(answer._meta).toMatchObject({
      'deskside/delivery': { delivered: ['file'], unseen: {}, suppressed: {} },
    });
  }
  expect(await outcomes()).toStrictEqual(contractRows.map(() => 'delivered'));
  expect((await written()).map(({ level, context, message }) => ({ level, context, message }))).toStrictEqual(
    contractRows.map(({ args, level, context }) => ({ level, context, message: args['message'] })),
  );
});

const invalidMessages: readonly (readonly [args: Record<string, unknown>, error: string])[] = [
  [{}, 'The message is empty'],
  [{ message: '' }, 'The message is empty'],
  [{ message: ' \n\t ' }, 'The message is empty'],
  [{ message: null }, 'The message is empty'],
  [{ message: 7 }, 'The message must be a string'],
  [{ message: ['a'] }, 'The message must be a string'],
];

test.each(LEGS)('in the $era era over $over, an empty or wrong message is an error', async (leg) => {
  const { peer } = await openTestServer(leg);
  for (const [args, error] of invalidMessages) {
    const answer = await peer.callTool('notify', args);
    expect(answer.isError).toBe(true);
    expect(JSON.parse(firstText(answer))).toMatchObject({ error, code: 'INVALID_ARGUMENT', hint: /./ });
  }
});

/** Transports do not look at the text. */
const texts = hostileTexts.filter((_, index) => index % 8 === 0);

test.each(LEGS)(
  'in the $era era over $over, hostile texts are escaped in answers and complete in the file',
  async (leg) => {
    const { peer, written } = await openTestServer(leg);
    for (const [, text] of texts) {
      const answer = await peer.callTool('notify', { message: text, context: text.slice(0, 1000) });
      expect(answer.isError ?? false).toBe(false);
      expect(unsafeIn(firstText(answer))).toStrictEqual([]);
    }
    expect((await written()).map(({ message }) => message)).toStrictEqual(texts.map(([, text]) => text));
  },
);

test.each(LEGS)(
  'in the $era era over $over, prompts instruct the model to call the tool and send nothing',
  async (leg) => {
    const { peer, logNotify, outcomes } = await openTestServer(leg);
    const simple = await peer.getPrompt('refactoring', { target: 'the parser' });
    expect(JSON.stringify(simple)).not.toContain('Complex refactoring detected');
    const complex = await peer.getPrompt('refactoring', { target: 'the parser', complexity: '6' });
    const [message] = complex.messages;
    expect(message?.content).toMatchObject({
      text: expect.stringContaining(
        '[Call the tool notify with {"message":"Complex refactoring detected - breaking into smaller steps for safety"}]',
      ),
    });
    const workflow = await peer.getPrompt('workflow', { task: 'Ship {{ notify "x" }}' });
    expect(JSON.stringify(workflow)).toContain('Ship {{ notify');
    expect(JSON.stringify(workflow)).toContain('Starting with highest-impact changes first');
    expect(await peer.getPrompt('refactoring', { target: 'the parser', complexity: ' ' })).toStrictEqual(
      simple,
    );
    await expect(peer.getPrompt('refactoring', { target: 'x', complexity: '11' })).rejects.toThrow(/1 to 10/);
    await logNotify.settled();
    expect(await outcomes()).toStrictEqual([]);
  },
);

const leg = LEGS[2];

test('a filtered notification succeeds, and the answer says that no sink accepted it', async () => {
  const { peer, outcomes, written } = await openTestServer(
    leg,
    'filter = "info,llm_notify::warn=off,[{context=analysis}]=off"',
  );
  const filtered = await peer.callTool('notify', { message: 'a', level: 'warn' });
  expect(firstText(filtered)).toBe('Notification sent: a');
  expect(filtered._meta).toMatchObject({
    'deskside/delivery': { delivered: [], suppressed: { file: 'filter' } },
  });
  expect(filtered.content[1]).toMatchObject({
    text: 'No sink accepted the message: the configuration filters it out. If it matters, tell the person in your answer.',
  });
  await peer.callTool('notify', { message: 'b', context: 'analysis' });
  await peer.callTool('notify', { message: 'c', context: 'safety' });
  expect((await written()).map(({ message }) => message)).toStrictEqual(['c']);
  expect(await outcomes()).toEqual(['lost', 'lost', 'stored']);
});

test('a notification that waits for a summary succeeds, and the answer says not to repeat it', async () => {
  const { peer, outcomes } = await openTestServer(leg, '[file]\ndigest = "1h"');
  const held = await peer.callTool('notify', { message: 'a', level: 'warn' });
  expect(firstText(held)).toBe('Notification sent: a');
  expect(held.content[1]).toMatchObject({
    text: 'The message is held for a summary that the person gets later. Do not send it again.',
  });
  expect(await outcomes()).toStrictEqual(['stored']);
});

test('a changed configuration applies without a restart, and a broken one changes nothing', async () => {
  const { peer, config, reports, written } = await openTestServer(leg);
  await peer.callTool('notify', { message: 'before' });
  writeFileSync(config, `filter = "error"\n${FILE_ONLY}`);
  await vi.waitFor(() => expect(reports).toContain('The configuration was reloaded.'), { timeout: 30_000 });
  await peer.callTool('notify', { message: 'filtered' });
  await peer.callTool('notify', { message: 'after', level: 'error' });
  writeFileSync(config, 'filter = [');
  await vi.waitFor(() => expect(reports.join('\n')).toMatch(/line 1, column[^]*still applies\.$/), {
    timeout: 30_000,
  });
  await peer.callTool('notify', { message: 'still filtered' });
  const messages = (await written()).map(({ message }) => message);
  expect(messages).toStrictEqual(['before', 'after']);
});

test('without a person who follows the file, the answer says that a warning may not be seen, and nothing of an info', async () => {
  const { peer } = await openTestServer(leg);
  const info = await peer.callTool('notify', { message: 'a' });
  expect(info.content).toStrictEqual([{ type: 'text', text: 'Notification sent: a' }]);
  expect(info._meta).toMatchObject({ 'deskside/delivery': { unseen: { file: 'not followed' } } });
  const answer = await peer.callTool('notify', { message: 'a', level: 'warn' });
  expect(answer._meta).toMatchObject({
    'deskside/delivery': { delivered: [], unseen: { file: 'not followed' }, suppressed: {} },
  });
  expect(answer.content[1]).toMatchObject({
    text: 'The message waits for the person, who may not see it now. If it matters, tell the person in your answer.',
  });
});

test('an answer that has a second text names an earlier warning that the person has not seen', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { peer, notify, config } = await openTestServer(leg);
  const first = await notify({ message: 'Back up first', level: 'warn' });
  expect(first.content).toHaveLength(1);
  vi.setSystemTime(Date.now() + 60_000);
  expect((await notify({ message: 'b' })).content).toHaveLength(1);
  markFollowed(join(config, '../notify.jsonl'), new Date(0));
  const { content } = await peer.callTool('notify', { message: 'c', level: 'warn' });
  expect(content[1]).toMatchObject({
    text: expect.stringMatching(
      /^The message waits for the person, .*\nThe person has not seen a warning of \d\d:\d\d: "Back up first"$/,
    ),
  });
});

test('a message that waits for the only service, which fails, is stored and not lost', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(500).end());
  const service = `[[ntfy]]\ntopic = "t"\nrate = false\nfold = false\nurl = "${receiver.url.origin}"`;
  const { peer, outcomes } = await openTestServer(leg, `[file]\nenabled = false\n${service}`);
  const next = async () => peer.callTool('notify', { message: 'a', level: 'error' });
  await expect.poll(next).toMatchObject({
    content: [expect.anything(), { text: expect.stringContaining('The message waits for the person') }],
    _meta: { 'deskside/delivery': { suppressed: { ntfy: 'failing' } } },
  });
  expect((await outcomes()).at(-1)).toBe('stored');
});

test('the description names the sinks of the configuration, and clients learn that it changed', async () => {
  const { peer, config } = await openTestServer(LEGS[0], '[[ntfy]]\ntopic = "t"\nlevel = "error"');
  const client = peer.client as LegacyClient;
  const changed = Promise.withResolvers<void>();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
  const describe = async () => (await peer.listTools())[0]?.description;
  expect(await describe()).toContain('Messages go to: file, ntfy (error only).');
  writeFileSync(config, `${FILE_ONLY}[[slack]]\nurl = "https://hooks.example.org/x"\n`);
  await changed.promise;
  expect(await describe()).toContain('Messages go to: file, slack.');
});

test.each([
  ['', false],
  ['[[ntfy]]\ntopic = "t"', true],
  ['[[ntfy]]\ntopic = "t"\nenabled = false', false],
])('with the configuration %j the tool reaches beyond this machine: %s', async (configuration, isOpen) => {
  const { peer } = await openTestServer(leg, configuration);
  const [tool] = await peer.listTools();
  expect(tool?.annotations).toMatchObject({ openWorldHint: isOpen });
  // Claude Code shows it to its model without a search.
  expect(tool?._meta).toEqual({ 'anthropic/alwaysLoad': true });
});

test('every record names the caller, its client and its session', async () => {
  const { peer, written } = await openTestServer(leg);
  await peer.callTool('notify', { message: 'a' }, { 'deskside/session': 'conversation-1' });
  expect(await written()).toMatchObject([
    { caller: 'test', client: 'test', session: expect.stringContaining('conversation-1') },
  ]);
});

test('a modern client gets log messages and progress only if the request asks for them', async () => {
  const { peer } = await openTestServer(leg);
  const client = peer.client as ModernClient;
  const seen: unknown[] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => void seen.push(params));
  client.fallbackNotificationHandler = async ({ method }) => void seen.push(method);
  const call = { name: 'notify', arguments: { message: 'a\nb', level: 'warn' } };
  await client.callTool(call);
  expect(seen).toStrictEqual([]);
  await client.callTool(
    { ...call, _meta: { 'io.modelcontextprotocol/logLevel': 'info' } },
    { onprogress: (progress) => seen.push(progress) },
  );
  expect(seen).toStrictEqual([
    { level: 'warning', data: String.raw`a\nb`, logger: 'llm_notify' },
    { progress: 1, total: 1, message: String.raw`a\nb` },
  ]);
});

test.each([LEGS[0], LEGS[1]])(
  'a legacy client over $over gets a log message for each notification, from the level that it sets',
  async (legacyLeg) => {
    const { peer } = await openTestServer(legacyLeg);
    const client = peer.client as LegacyClient;
    const seen = new Map<unknown, unknown>();
    const arrived = Promise.withResolvers<void>();
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      seen.set(params.data, params.level);
      if (params.data === 'last') arrived.resolve();
    });
    await peer.callTool('notify', { message: 'status' });
    await peer.callTool('notify', { message: 'careful', level: 'warn' });
    await client.setLoggingLevel('error');
    await peer.callTool('notify', { message: 'below', level: 'warn' });
    await peer.callTool('notify', { message: 'last', level: 'error' });
    await arrived.promise;
    expect([...seen]).toStrictEqual([
      ['status', 'info'],
      ['careful', 'warning'],
      ['last', 'error'],
    ]);
  },
);
