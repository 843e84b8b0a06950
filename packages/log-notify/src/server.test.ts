import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client as ModernClient } from '@modelcontextprotocol/client';
import {
  connectInProcess,
  describeServer,
  firstText,
  LEGS,
  type Peer,
  temporaryFolder,
} from '@deskside/testkit';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readJsonLine } from './message/json-line.ts';
import type { Notification } from './message/notification.ts';
import { type LogNotify, openLogNotify } from './log-notify.ts';
import { logNotifyServer } from './server.ts';
import { contractRows } from './testing/contract-rows.ts';
import { hostileTexts, LIVE } from './testing/hostile-texts.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

/** Only the file listens, so that tests print nothing and raise nothing. */
const QUIET = '[stderr]\nenabled = false\n[desktop]\nenabled = false\n';

interface Fresh {
  readonly peer: Peer;
  readonly logNotify: LogNotify;
  readonly reports: readonly string[];
  readonly config: string;
  /** What the person's file holds, once all is written. */
  readonly written: () => Promise<Notification[]>;
}

async function fresh(leg: (typeof LEGS)[number], toml = ''): Promise<Fresh> {
  const folder = temporaryFolder();
  const [config, file] = [join(folder, 'log-notify.toml'), join(folder, 'notify.jsonl')];
  writeFileSync(config, `${toml}\n${QUIET}`);
  const reports: string[] = [];
  const logNotify = openLogNotify({ config, file, report: (sentence) => reports.push(sentence) });
  const peer = await connectInProcess(logNotifyServer(logNotify), leg);
  opened.push(logNotify, peer);
  return {
    peer,
    logNotify,
    reports,
    config,
    async written() {
      await logNotify.settled();
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => readJsonLine(line)).filter((each) => each !== undefined);
    },
  };
}

describeServer({
  name: 'log-notify',
  open: async () => {
    // A configuration that is not there: nothing of the developer's own is read or written.
    const logNotify = openLogNotify({ config: '/nowhere', filter: 'off', report: () => undefined });
    return {
      definition: logNotifyServer(logNotify),
      [Symbol.asyncDispose]: () => logNotify[Symbol.asyncDispose](),
    };
  },
  toolsJson: '../tools.json',
  tokenBudget: 480,
  samples: [
    {
      tool: 'notify',
      args: { message: 'Milk is out' },
      survives: ['Notification sent: Milk is out', 'reached nobody'],
    },
  ],
});

describe.each(LEGS)('the contract in the $era era over $over', (leg) => {
  test('every example is answered, and is in the file', async () => {
    const { peer, written } = await fresh(leg);
    for (const { args } of contractRows) {
      const answer = await peer.callTool('notify', { ...args });
      expect(answer.content).toStrictEqual([
        { type: 'text', text: `Notification sent: ${String(args['message'])}` },
      ]);
      expect(answer.isError ?? false).toBe(false);
      expect(answer).not.toHaveProperty('structuredContent');
      expect(answer._meta).toMatchObject({ 'deskside/delivery': { delivered: ['file'], suppressed: {} } });
    }
    expect(
      (await written()).map(({ level, context, message }) => ({ level, context, message })),
    ).toStrictEqual(
      contractRows.map(({ args, level, context }) => ({ level, context, message: args['message'] })),
    );
  });

  test.each([
    [{}, 'The message is empty'],
    [{ message: '' }, 'The message is empty'],
    [{ message: ' \n\t ' }, 'The message is empty'],
    [{ message: null }, 'The message is empty'],
    [{ message: 7 }, 'The message is no text'],
    [{ message: ['a'] }, 'The message is no text'],
  ])('%j is a validation error', async (args, error) => {
    const { peer } = await fresh(leg);
    const answer = await peer.callTool('notify', args);
    expect(answer.isError).toBe(true);
    expect(JSON.parse(firstText(answer))).toMatchObject({ error, code: 'INVALID_ARGUMENT', hint: /./ });
  });

  test('hostile texts are answered safely, and kept whole in the file', async () => {
    const { peer, written } = await fresh(leg);
    for (const [, text] of hostileTexts) {
      const answer = await peer.callTool('notify', { message: text, context: text.slice(0, 1000) });
      const isBlank = text.trim() === '';
      expect(answer.isError ?? false).toBe(isBlank);
      expect(firstText(answer)).not.toMatch(LIVE);
    }
    const kept = await written();
    expect(kept.map(({ message }) => message)).toStrictEqual(
      hostileTexts.map(([, text]) => text).filter((text) => text.trim() !== ''),
    );
  });

  test('prompts tell the model to call the tool, and notify nobody', async () => {
    const { peer, logNotify } = await fresh(leg);
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
    await expect(peer.getPrompt('refactoring', { target: 'x', complexity: '11' })).rejects.toThrow(/1 to 10/);
    expect(await logNotify.settled()).toStrictEqual(new Map());
  });
});

const leg = LEGS[2];

test("the contract's own block filters as it is written", async () => {
  const { peer, written } = await fresh(
    leg,
    `[tracing]
targets = [
  { name = "llm_notify", level = "info" },
  { name = "llm_notify::warn", level = "warn" }
]`,
  );
  for (const level of ['info', 'warn', 'error']) await peer.callTool('notify', { message: level, level });
  expect((await written()).map(({ message }) => message)).toStrictEqual(['info', 'warn', 'error']);
});

test('a filter that holds it back fails nothing, and the answer says so', async () => {
  const { peer, written } = await fresh(leg, 'filter = "info,llm_notify::warn=off,[{context=analysis}]=off"');
  const held = await peer.callTool('notify', { message: 'a', level: 'warn' });
  expect(firstText(held)).toBe('Notification sent: a');
  expect(held._meta).toMatchObject({
    'deskside/delivery': { delivered: [], suppressed: { file: 'filter' } },
  });
  expect(held.content[1]).toMatchObject({ text: expect.stringMatching(/^It reached nobody: the settings/) });
  await peer.callTool('notify', { message: 'b', context: 'analysis' });
  await peer.callTool('notify', { message: 'c', context: 'safety' });
  expect((await written()).map(({ message }) => message)).toStrictEqual(['c']);
});

test('a changed configuration holds without a restart', async () => {
  const { peer, config, reports, written } = await fresh(leg);
  await peer.callTool('notify', { message: 'before' });
  writeFileSync(config, `filter = "error"\n${QUIET}`);
  await vi.waitFor(() => expect(reports).toContain('The configuration was read again.'), { timeout: 30_000 });
  await peer.callTool('notify', { message: 'filtered' });
  await peer.callTool('notify', { message: 'after', level: 'error' });
  writeFileSync(config, 'filter = [');
  await vi.waitFor(() => expect(reports.join('\n')).toMatch(/line 1, column/), { timeout: 30_000 });
  await peer.callTool('notify', { message: 'still filtered' });
  const messages = (await written()).map(({ message }) => message);
  expect(messages).toStrictEqual(['before', 'after']);
});

test('log messages and progress are sent only where the request asks for them', async () => {
  const { peer } = await fresh(leg);
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
