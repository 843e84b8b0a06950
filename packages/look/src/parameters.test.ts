import { expect, test } from 'vitest';
import { parametersOf } from './parameters.ts';

test('parameters are shown for people, with those inside of others', () => {
  const schema = {
    type: 'object',
    $defs: {
      Item: { type: 'object', properties: { id: { type: 'string', description: 'Number.' } } },
      Tree: { properties: { child: { $ref: '#/$defs/Tree' } } },
    },
    properties: {
      order: { $ref: '#/$defs/Item', description: 'The\n order.' },
      items: { type: 'array', items: { $ref: '#/$defs/Item' } },
      sort: { anyOf: [{ enum: ['name', 'size'] }, { type: 'null' }] },
      other: true,
    },
  };
  expect(parametersOf(schema)).toStrictEqual([
    'order: object — The order.',
    'order.id: string — Number.',
    'items: list of object',
    'items.id: string — Number.',
    'sort: "name" | "size" | null',
    'other: anything',
  ]);
  expect(parametersOf({ ...schema, properties: { tree: { $ref: '#/$defs/Tree' } } })).toHaveLength(6);
  for (const odd of [undefined, null, 7, [], { properties: [] }, { $ref: '#/x/y' }])
    expect(parametersOf(odd)).toStrictEqual([]);
  expect(parametersOf({ properties: { a: null } })).toStrictEqual(['a: anything']);
});
