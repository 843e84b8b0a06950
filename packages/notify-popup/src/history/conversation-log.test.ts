import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixedClock, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { localIso } from '@deskside/core/dates';
import { openConversationLog } from './conversation-log.ts';

function open(
  folder: string,
  at = '2026-03-05T10:00:00Z',
  project: string | undefined = '/home/ada/project',
) {
  const clock = fixedClock(at);
  const { entries, add } = openConversationLog(folder, clock.now);
  const origin = { id: 'id', folder: project };
  return {
    clock,
    texts: async () => (await entries()).map(({ text }) => text),
    log: {
      entries,
      addMessage: (text: string) => add('agent', text, origin),
      addReply: (text: string) => add('person', text, origin),
    },
  };
}

const fileOf = (folder: string, date: Date) => join(folder, `exchanges_${localIso(date).slice(0, 10)}.jsonl`);
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A line in VoiceMode's format. */
function voiceModeLine(type: string, text: string, project = '/home/ada/project'): string {
  return JSON.stringify({
    version: 3,
    timestamp: '2026-03-05T09:58:00.123456+00:00',
    conversation_id: 'conv_20260305_095800_abc123',
    type,
    text,
    project_path: project,
    audio_file: 'x.wav',
    duration_ms: 1200,
    metadata: { voice_mode_version: '8.0.0', transport: 'local', provider: 'kokoro' },
  });
}

test("a message and its reply are written in VoiceMode's format, readable by their owner only", async () => {
  const folder = join(temporaryFolder(), 'new');
  const { clock, log } = open(folder);
  await log.addMessage('Which one?');
  clock.advance(2000);
  await log.addReply('The blue one\n  please');
  const file = fileOf(folder, clock.now());
  const [agent, person] = linesOf(file);
  expect(agent).toStrictEqual({
    version: 3,
    timestamp: expect.stringMatching(/^2026-03-05T\d\d:\d\d:00\.000[+-]\d\d:\d\d$/),
    conversation_id: expect.stringMatching(/^conv_20260305_\d{6}_[a-z0-9]{6}$/),
    type: 'tts',
    text: 'Which one?',
    project_path: '/home/ada/project',
    metadata: {
      voice_mode_version: expect.stringMatching(/^deskside-notify-popup \d/),
      transport: 'notify',
      item_id: 'id',
    },
  });
  expect(Date.parse(agent.timestamp)).toBe(Date.parse('2026-03-05T10:00:00Z'));
  expect(person).toMatchObject({
    type: 'stt',
    text: 'The blue one\n  please',
    conversation_id: agent.conversation_id,
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('the entries of VoiceMode and of the popup are read, and broken lines are skipped', async () => {
  const folder = temporaryFolder();
  const { clock, log } = open(folder);
  const lines = [
    voiceModeLine('tts', 'Spoken question'),
    '{"torn":',
    'not json at all',
    JSON.stringify({ type: 'stt', text: 'no version' }),
    voiceModeLine('stt', 'Spoken elsewhere', '/home/ada/other'),
  ];
  // The last line is torn: the next entry starts a new one.
  writeFileSync(fileOf(folder, clock.now()), `${lines.join('\n')}\n{"version":3,"te`);
  await log.addReply('Typed answer');
  const project = '/home/ada/project';
  expect(await log.entries()).toMatchObject([
    { type: 'tts', text: 'Spoken question', project_path: project },
    { type: 'stt', text: 'Spoken elsewhere', project_path: '/home/ada/other' },
    { type: 'stt', text: 'Typed answer', project_path: project, metadata: { item_id: 'id' } },
  ]);
});

test('an entry of a caller whose folder is not known has no project', async () => {
  const folder = temporaryFolder();
  const clock = fixedClock('2026-03-05T10:00:00Z');
  const log = openConversationLog(folder, clock.now);
  await log.add('agent', 'Which one?', { id: 'a', folder: undefined });
  await log.add('person', 'Blue', { id: 'a', folder: undefined });
  const [message, reply] = linesOf(fileOf(folder, clock.now()));
  expect(message).not.toHaveProperty('project_path');
  expect(reply.conversation_id).toBe(message.conversation_id);
});

test('a conversation continues within five minutes, also over midnight, but not in another project', async () => {
  const folder = temporaryFolder();
  const beforeMidnight = new Date(2026, 2, 5, 23, 58).toISOString();
  const { clock, log } = open(folder, beforeMidnight);
  await log.addMessage('one');
  clock.advance(4 * 60_000);
  await log.addMessage('two');
  clock.advance(5 * 60_000);
  await log.addMessage('three');
  const [one] = linesOf(fileOf(folder, new Date(beforeMidnight)));
  const [two, three] = linesOf(fileOf(folder, clock.now()));
  expect(two.conversation_id).toBe(one.conversation_id);
  expect(three.conversation_id).not.toBe(two.conversation_id);
  const other = open(folder, clock.now().toISOString(), '/home/ada/other');
  await other.log.addMessage('four');
  expect(linesOf(fileOf(folder, clock.now())).at(-1).conversation_id).not.toBe(three.conversation_id);
});

test('concurrent entries are written in the order of the calls', async () => {
  const folder = temporaryFolder();
  const { log, texts } = open(folder);
  await Promise.all([log.addMessage('a'), log.addReply('b'), log.addMessage('c'), log.addReply('d')]);
  expect(await texts()).toStrictEqual(['a', 'b', 'c', 'd']);
});

test('the file is ASCII, and every character is read back', async () => {
  const folder = temporaryFolder();
  const { clock, log, texts } = open(folder);
  const text = 'Grüße 你好 👍🏽 \u2028 \ud800';
  await log.addMessage(text);
  const [line = ''] = readFileSync(fileOf(folder, clock.now()), 'utf8').split('\n');
  expect(line).toMatch(/^[ -~]+$/);
  expect(await texts()).toStrictEqual([text]);
});
