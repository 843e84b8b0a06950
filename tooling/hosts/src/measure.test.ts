import { expect, test } from 'vitest';
import type { Run } from './drive.ts';
import { factsOf, SCRIPT } from './measure.ts';

const params = { clientInfo: {}, capabilities: { elicitation: {} }, protocolVersion: '2025-11-25' };
const lines: Run['lines'] = [
  { at: 1, side: 'host', message: { id: 1, method: 'initialize', params } },
  { at: 2, side: 'host', message: { id: 2, method: 'tools/list' } },
  { at: 3, side: 'server', message: { id: 2, result: { tools: [{ name: 'todo_add_task' }] } } },
  { at: 5, side: 'server', message: { id: 1, method: 'elicitation/create' } },
  { at: 6, side: 'host', message: { id: 1, result: { action: 'decline' } } },
];
const first = {
  at: 4,
  body: '',
  tools: [{ name: 'deskside_todo_add_task', namespace: undefined, bytes: 100 }],
};
const got = SCRIPT.map((step) => ({ ...step, result: '"read"', seconds: 1 }));
const whole: Run = { first, got, missing: [], lines, output: '' };

test('a whole run has facts', () => {
  const facts = { tools: { shown: 1, listed: 1, bytes: 100 }, form: 'decline' };
  expect(factsOf(whole)).toMatchObject(facts);
});

test.each<[string, Partial<Run>]>([
  ['did not list the tools', { lines: lines.slice(0, 2) }],
  ['had no tool of Deskside', { first: { ...first, tools: [] } }],
  ['was not offered todo_list_tasks', { missing: SCRIPT.slice(1, 2) }],
  ['read no answer of todo_delete_task', { got: got.slice(0, 2) }],
  ['declares forms, and answered none', { lines: lines.slice(0, 3) }],
])('a run whose host or model %s has none', (problem, change) => {
  expect(() => factsOf({ ...whole, ...change })).toThrow(problem);
});
