import { connect, type ConnectOptions, firstText, testContext } from '@deskside/core/testing';
import { defineServer } from '@deskside/core';
import { expect, test } from 'vitest';
import { Counter, counterServer } from './changes.ts';
import { readNoteTool } from './errors.ts';
import { copyFiles } from './progress.ts';
import { travelServer } from './prompts.ts';
import { deleteFile } from './questions.ts';
import { notesServer } from './resources.ts';

const ERAS = ['legacy', 'modern'] as const;
const forms: ConnectOptions['capabilities'] = { elicitation: { form: {} } };

const read = async (path: string) => JSON.stringify(await readNoteTool.call({ path }, null, testContext()));

test('errors.ts: a missing note has a hint, and other errors are defects', async () => {
  expect(await read('/no/such/note')).toContain('List the notes with list_notes.');
  expect(await read(import.meta.dirname)).toContain('Internal error');
});

test.each(ERAS)('progress.ts: progress arrives in the %s era', async (era) => {
  const deps = { copied: [] };
  const definition = defineServer({ name: 'copy', version: '1.0.0', deps, tools: [copyFiles] });
  await using peer = await connect(definition, { era });
  const received: unknown[] = [];
  const options = { onprogress: (progress: unknown) => received.push(progress) };
  await peer.client.callTool({ name: 'copy_files', arguments: { files: ['a', 'b'] } }, options);
  expect(received).toMatchObject([
    { progress: 1, total: 2, message: 'a' },
    { progress: 2, total: 2, message: 'b' },
  ]);
});

test.each(ERAS)('resources.ts: lists, contents and completion in the %s era', async (era) => {
  await using peer = await connect(
    notesServer(
      new Map([
        ['shopping', 'milk'],
        ['a b', 'space'],
      ]),
    ),
    { era },
  );
  const { resources } = await peer.client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    'notes://index',
    'notes://notes/shopping',
    'notes://notes/a%20b',
  ]);
  expect((await peer.readResource('notes://notes/a%20b')).contents).toMatchObject([
    { text: 'space', mimeType: 'text/plain' },
  ]);
  expect((await peer.readResource('notes://index')).contents).toHaveLength(2);
  await expect(peer.readResource('notes://notes/none')).rejects.toThrow('Resource not found');
  const { completion } = await peer.client.complete({
    ref: { type: 'ref/resource', uri: 'notes://notes/{name}' },
    argument: { name: 'name', value: 'sh' },
  });
  expect(completion.values).toEqual(['shopping']);
});

test.each(ERAS)('prompts.ts: messages and completion in the %s era', async (era) => {
  await using peer = await connect(travelServer({ Italy: ['Rome', 'Milan'], Iceland: [] }), { era });
  expect(await peer.getPrompt('plan_trip', { country: 'Italy', city: 'Rome' })).toMatchObject({
    messages: [{ role: 'user', content: { type: 'text', text: 'Plan a weekend in Rome, Italy.' } }],
  });
  const complete = async (name: string, value: string, given: Record<string, string> = {}) => {
    const ref = { type: 'ref/prompt', name: 'plan_trip' } as const;
    const answer = await peer.client.complete({
      ref,
      argument: { name, value },
      context: { arguments: given },
    });
    return answer.completion.values;
  };
  expect(await complete('city', 'M', { country: 'Italy' })).toEqual(['Milan']);
  await expect(peer.getPrompt('plan_trip')).rejects.toThrow('country');
});

test.each(ERAS)('changes.ts: a subscriber receives the changed URI in the %s era', async (era) => {
  const counter = new Counter();
  await using peer = await connect(counterServer(counter), { era });
  const updated = Promise.withResolvers<string>();
  peer.client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    updated.resolve(params.uri),
  );
  if (era === 'legacy') await peer.client.subscribeResource({ uri: 'counter://value' });
  else await peer.client.listen({ resourceSubscriptions: ['counter://value'] });
  counter.increment();
  expect(await updated.promise).toBe('counter://value');
  expect((await peer.readResource('counter://value')).contents).toMatchObject([{ text: '1' }]);
});

test.each(ERAS)('questions.ts: the user confirms or declines in the %s era', async (era) => {
  const removed: string[] = [];
  const deps = { remove: (name: string) => void removed.push(name) };
  const definition = defineServer({ name: 'files', version: '1.0.0', deps, tools: [deleteFile] });
  await using peer = await connect(definition, { era, capabilities: forms });
  const messages: string[] = [];
  let confirm = true;
  peer.client.setRequestHandler('elicitation/create', ({ params }) => {
    messages.push(params.message);
    return confirm ? { action: 'accept', content: { confirm } } : { action: 'decline' };
  });
  expect(firstText(await peer.callTool('delete_file', { name: 'a.txt' }))).toBe('Deleted a.txt.');
  confirm = false;
  expect(firstText(await peer.callTool('delete_file', { name: 'b.txt' }))).toBe('The file stays.');
  expect(messages).toEqual(['Delete a.txt?', 'Delete b.txt?']);
  expect(removed).toEqual(['a.txt']);
});
