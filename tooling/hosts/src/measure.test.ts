import { expect, test } from 'vitest';
import type { Line, Run } from './drive.ts';
import { factsOf, permissionOf } from './measure.ts';

const SCRIPT = [
  { tool: 'todo_add_task', args: {} },
  { tool: 'popup_notify', args: {} },
];
const TOOLS = SCRIPT.map(({ tool }) => ({ name: tool }));
const content = [{ type: 'text', text: 'Done' }];

/** A request of the host and the answer of the server, a second after it. */
function exchange(at: number, method: string, params: object, result: object): Line[] {
  return [
    { at, side: 'host', message: { id: at, method, params } },
    { at: at + 1000, side: 'server', message: { id: at, result } },
  ];
}

const introduction = {
  protocolVersion: '2025-11-25',
  clientInfo: { name: 'host', version: '1' },
  capabilities: {},
};
const LISTED = exchange(1000, 'tools/list', {}, { tools: TOOLS });
const WHOLE: Run = {
  first: {
    at: 3000,
    body: 'mcp__deskside__popup_notify',
    tools: TOOLS.map(({ name }) => ({ name: `mcp__deskside__${name}`, namespace: undefined, bytes: 100 })),
  },
  got: SCRIPT.map((step) => ({ ...step, result: '[{"type":"text","text":"Done"}]', seconds: 0 })),
  missing: [],
  lines: [
    ...exchange(0, 'initialize', introduction, { instructions: '' }),
    ...LISTED,
    ...SCRIPT.flatMap(({ tool }, index) =>
      exchange(4000 + index * 1000, 'tools/call', { name: tool }, { content }),
    ),
  ],
  output: 'what it printed',
};

test('a run with all tools and all answers is stored', () => {
  expect(factsOf(WHOLE, SCRIPT)).toMatchObject({
    tools: { shown: 2, listed: 2, bytes: 200 },
    results: { todo_add_task: 'whole', popup_notify: 'whole' },
  });
});

const noTools = { ...WHOLE.first, at: 3000, body: '', tools: [] };
const declaring = { ...introduction, capabilities: { elicitation: {} } };

test.each<[string, Partial<Run>, string]>([
  ['made no request', { first: undefined }, 'it did not list the tools: what it printed'],
  ['listed no tools', { lines: [] }, 'it did not list the tools'],
  ['had no tool at first', { first: noTools }, 'its first request had no tool of Deskside'],
  ['had a tool only at first', { missing: SCRIPT.slice(1) }, 'its model was not offered popup_notify'],
  ['ended early', { got: WHOLE.got.slice(0, 1) }, 'its model read no answer of popup_notify'],
  [
    'sent other requests',
    { got: WHOLE.got.map((got) => ({ ...got, result: 'null' })) },
    'its model read no answer of todo_add_task',
  ],
  [
    'answered no form',
    { lines: [...exchange(0, 'initialize', declaring, {}), ...WHOLE.lines.slice(2)] },
    'it declares forms, and answered none',
  ],
])('a run of a host that %s is an error, not a fact', (_, change, message) => {
  expect(() => factsOf({ ...WHOLE, ...change }, SCRIPT)).toThrow(message);
});

test('only a first turn after the list of tools tells that a call is refused or a tool not offered', () => {
  const refused = { ...WHOLE, lines: LISTED };
  expect(permissionOf('popup_notify', WHOLE)).toBe('runs');
  expect(permissionOf('popup_notify', refused)).toBe('refused');
  expect(permissionOf('popup_notify', { ...refused, missing: SCRIPT.slice(1) })).toBe('not offered');
  const early = { ...refused, first: { ...noTools, at: 1500 }, missing: SCRIPT.slice(1) };
  expect(() => permissionOf('popup_notify', early)).toThrow('came before the tools');
});
