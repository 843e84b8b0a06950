import { connect, testContext } from '@deskside/core/testing';
import { definition } from '@deskside/example';
import { expect, test } from 'vitest';
import { deleteFile } from './questions.ts';

test.each(['legacy', 'modern'] as const)('the next departures come first in the %s era', async (era) => {
  await using peer = await connect(definition(new Map([['Zoo', ['9:05', '9:20']]])), { era });
  const { structuredContent } = await peer.callTool('list_departures', { stop: 'Zoo', limit: 1 });
  expect(structuredContent).toMatchObject({ departures: ['9:05'], truncation: { totalAvailable: 2 } });
});

test('delete_file deletes after a confirmation', async () => {
  const removed: string[] = [];
  const responses = { sure: { action: 'accept', content: { confirm: true } } };
  const deps = { remove: (name: string) => void removed.push(name) };
  await deleteFile.call({ name: 'old.txt' }, deps, testContext({ input: { responses } }));
  expect(removed).toEqual(['old.txt']);
});
