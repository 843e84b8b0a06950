import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareNames } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { servers } from '../workspace.ts';
import { sources, stringsIn } from './sources.ts';

const toolsOf = (directory: string) =>
  (JSON.parse(readFileSync(join(directory, 'tools.json'), 'utf8')) as { readonly name: string }[]).map(
    ({ name }) => name,
  );

// Under a mount the name is another one, so a text takes it from toolName('list_screenshots').
test.each(servers)('no text in the sources of $name contains a bare tool name', ({ name, directory }) => {
  const tools = toolsOf(directory);
  expect(tools.length).toBeGreaterThan(0);
  // Options are for the standalone program.
  const own = sources.filter(({ owner, path }) => owner.name === name && !path.endsWith('/src/options.ts'));
  const found = own.flatMap(({ path }) =>
    stringsIn(path).flatMap((text) => bareNames(text, tools).map((tool) => `${path}: ${tool} in "${text}"`)),
  );
  expect(found).toEqual([]);
});
