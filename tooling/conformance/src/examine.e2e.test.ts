import { expect, test } from 'vitest';
import { examine } from './examine.ts';
import { fixtureServer } from './fixture/server.ts';

const scenarios = {
  '2025-11-25': ['tools-call-simple-text', 'prompts-list'],
  '2026-07-28': ['tools-call-simple-text', 'prompts-list'],
};

test('an error of a server fails its scenario and no other', async () => {
  const definition = { ...fixtureServer(), callTool: async () => ({ content: [] }) };
  const results = await examine({ name: 'broken', definition, scenarios });
  expect(results.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'conformance 2025-11-25 broken: tools-call-simple-text failed',
    'conformance 2025-11-25 broken: prompts-list passed',
    'conformance 2026-07-28 broken: tools-call-simple-text failed',
    'conformance 2026-07-28 broken: prompts-list passed',
  ]);
});

test('a scenario that the suite does not know fails', async () => {
  const target = { name: 'fixture', definition: fixtureServer() };
  const unknown = { '2025-11-25': ['no-such-scenario'], '2026-07-28': [] };
  expect(await examine({ ...target, scenarios: unknown })).toMatchObject([
    { name: 'conformance 2025-11-25 fixture: no-such-scenario', status: 'failed' },
  ]);
});
