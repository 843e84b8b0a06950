import { expect, test } from 'vitest';
import { identityName } from '../errors/index.ts';
import { matchesUriTemplate } from './uri-template.ts';
import { defineServer } from './server.ts';

const view = { era: 'modern', toolName: identityName, principal: { user: 'owner' } } as const;

test('a server names the URIs of all its fixed resources without asking its templates', async () => {
  const server = defineServer({
    name: 's',
    version: '1.0.0',
    deps: null,
    resources: [
      { uri: 's://shown', name: 'shown', read: () => '' },
      { uri: 's://hidden', name: 'hidden', listed: false, read: () => '' },
    ],
    templates: [
      {
        uriTemplate: 's://items/{id}',
        name: 'items',
        list: () => {
          throw new Error('asked');
        },
        read: () => '',
      },
    ],
  });
  expect(await server.resourceUris(view)).toStrictEqual(['s://shown', 's://hidden']);
});

test.each([
  ['s://items/{id}', 's://items/7', true],
  ['s://items/{id}', 's://other/7', false],
  ['s://items/{id', 's://items/7', false],
])('matchesUriTemplate(%j, %j) is %j', (template, uri, matches) => {
  expect(matchesUriTemplate(template, uri)).toBe(matches);
});
