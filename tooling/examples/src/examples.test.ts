import { connect } from '@deskside/core/testing';
import { defineServer } from '@deskside/core';
import { expect, test } from 'vitest';
import { Counter, counterServer } from './changes.ts';
import { copyFiles } from './progress.ts';
import { travelServer } from './prompts.ts';
import { notesServer } from './resources.ts';

const era = 'modern';

test('progress.ts: progress arrives', async () => {
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

test('resources.ts: lists, contents and completion', async () => {
  await using peer = await connect(notesServer(new Map([['a b', 'space']])), { era });
  const { resources } = await peer.client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['notes://index', 'notes://notes/a%20b']);
  for (const { uri } of resources)
    expect((await peer.readResource(uri)).contents).toMatchObject([{ text: 'space' }]);
  await expect(peer.readResource('notes://notes/none')).rejects.toThrow('Resource not found');
  const { completion } = await peer.client.complete({
    ref: { type: 'ref/resource', uri: 'notes://notes/{name}' },
    argument: { name: 'name', value: 'a' },
  });
  expect(completion.values).toEqual(['a b']);
});

test('prompts.ts: messages and completion', async () => {
  await using peer = await connect(travelServer({ Italy: ['Rome', 'Milan'], Iceland: [] }), { era });
  expect(await peer.getPrompt('plan_trip', { country: 'Italy', city: 'Rome' })).toMatchObject({
    messages: [{ role: 'user', content: { type: 'text', text: 'Plan a weekend in Rome, Italy.' } }],
  });
  const { completion } = await peer.client.complete({
    ref: { type: 'ref/prompt', name: 'plan_trip' },
    argument: { name: 'city', value: 'M' },
    context: { arguments: { country: 'Italy' } },
  });
  expect(completion.values).toEqual(['Milan']);
});

test('changes.ts: a subscriber receives the changed URI', async () => {
  const counter = new Counter();
  await using peer = await connect(counterServer(counter), { era });
  const updated = Promise.withResolvers<string>();
  peer.client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    updated.resolve(params.uri),
  );
  await peer.client.listen({ resourceSubscriptions: ['counter://value'] });
  counter.increment();
  expect(await updated.promise).toBe('counter://value');
  expect((await peer.readResource('counter://value')).contents).toMatchObject([{ text: '1' }]);
});
