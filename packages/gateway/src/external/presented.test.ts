import { expect, test } from 'vitest';
import { emptyListing } from '../testing/external.ts';
import { configured } from './configured.ts';
import type { ServerListing } from './listing.ts';
import { type Naming, presented, withoutView } from './presented.ts';

const HIDDEN = 'a\u200bb';
const SHOWN = String.raw`a\u{200b}b`;
const inputSchema = { type: 'object' as const };
const own: Naming = { prefix: 'x_', publicName: (_, name) => name };

function shown(listing: Partial<ServerListing>, naming = own) {
  return presented({ ...emptyListing, ...listing }, naming);
}

const tool = (name: string, more: object = {}) => ({ name, inputSchema, ...more });
const namesOf = (names: readonly string[], naming = own) => [
  ...shown({ tools: names.map((name) => tool(name)) }, naming).tools.keys(),
];

const schema = (text: string) => ({
  type: 'object' as const,
  properties: { [text]: { type: 'string', enum: [text, null, 1], default: null } },
});

const texts = (text: string) => ({
  title: text,
  description: `${text}\nmore`,
  inputSchema: schema(text),
  outputSchema: schema(text),
  annotations: { title: text, readOnlyHint: true },
});

test('every text of a tool is escaped, keys too, and everything else stays', () => {
  const { tools } = shown({ tools: [tool('a', texts(HIDDEN))] });
  expect(tools.get('a')?.shown).toStrictEqual({ name: 'a', ...texts(SHOWN) });
  expect(tools.get('a')?.original).toStrictEqual({ name: 'a', ...texts(HIDDEN) });
});

test('the arguments of a prompt, the instructions and the name of a server are escaped', () => {
  const { prompts, instructions, identity } = shown({
    prompts: [{ name: 'p', arguments: [{ name: 'q', description: HIDDEN }] }],
    instructions: HIDDEN,
    serverInfo: { name: HIDDEN, version: '1' },
  });
  expect(prompts.get('p')?.shown.arguments).toStrictEqual([{ name: 'q', description: SHOWN }]);
  expect([instructions, identity?.name]).toStrictEqual([SHOWN, SHOWN]);
});

test('a resource or template whose address is not plain, or that is too large, is left out', () => {
  const description = 'x'.repeat(200_000);
  const { resources, templates } = shown({
    resources: [
      { uri: 'a://1', name: HIDDEN },
      { uri: `a://${HIDDEN}`, name: 'b' },
      { uri: 'a://2', name: 'c', description },
    ],
    resourceTemplates: [
      { uriTemplate: 'a://{id}', name: HIDDEN },
      { uriTemplate: `a://${HIDDEN}/{id}`, name: 'b' },
      { uriTemplate: 'b://{id}', name: 'c', description },
    ],
  });
  expect(resources).toStrictEqual([{ uri: 'a://1', name: SHOWN }]);
  expect(templates).toStrictEqual([{ uriTemplate: 'a://{id}', name: SHOWN }]);
});

test('names fit into hosts, and two that become equal stay apart', () => {
  expect(namesOf(['a b', 'a_b'])).toStrictEqual(['a_b', expect.stringMatching(/^a_b_[0-9a-f]{6}$/)]);
  expect(namesOf(['x'.repeat(48)])).toStrictEqual(['x'.repeat(48)]);
  const [long = '', empty] = namesOf(['x'.repeat(49), '']);
  expect(long).toMatch(/^x{41}_[0-9a-f]{6}$/);
  expect(empty).toMatch(/^_[0-9a-f]{6}$/);
});

test('a view is removed from a tool, and other metadata stay', () => {
  expect(withoutView(tool('a', { _meta: { ui: {}, 'ui/x': 1 } }))).toStrictEqual(tool('a'));
  const kept = tool('a', { _meta: { 'ui/x': 1, other: 2 } });
  expect(withoutView(kept)).toStrictEqual(tool('a', { _meta: { other: 2 } }));
  expect(withoutView(tool('a'))).toStrictEqual(tool('a'));
  const forViews = tool('a', { _meta: { ui: { resourceUri: 'ui://x', visibility: ['app'] } } });
  expect(withoutView(forViews)).toStrictEqual(tool('a', { _meta: { ui: { visibility: ['app'] } } }));
});

test('a tool does not offer tasks, and one that runs only as a task is not listed: calls are made in the foreground', () => {
  const tasks = ['optional', 'required'].map((taskSupport) => ({ execution: { taskSupport } }));
  const { tools } = shown({ tools: [tool('a', tasks[0]), tool('b', tasks[1])] });
  expect([...tools.values()].map((each) => each.shown)).toStrictEqual([tool('a')]);
});

test('names are as the configuration says, also those that every object has as members', () => {
  const server = { command: 'x', rename: { call: 'renamed' }, exclude: ['secret'] };
  const { publicName } = configured(server, { env: {}, folder: '.' });
  const names = namesOf(['call', 'secret', 'toString', '__proto__'], { prefix: '', publicName });
  expect(names).toStrictEqual(['renamed', 'toString', '__proto__']);
});
