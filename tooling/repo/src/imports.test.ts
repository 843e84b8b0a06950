import { expect, test } from 'vitest';
import { sources, type Source } from './sources.ts';
import { products } from './workspace.ts';

const core = '@deskside/core';
/** What of core knows nothing of MCP. */
const clock = '@deskside/core/dates';
const sdk = '@modelcontextprotocol/';
const aggregator = '@deskside/aggregator';
/** Folders of a server package that speak to the model; every other folder is its domain. */
const servingFolders = new Set(['tools', 'prompts', 'resources', 'rules']);

const serverPackages = products
  .map(({ name }) => name)
  .filter((name) => name !== core && name !== aggregator);

function offenders(forbidden: (specifier: string, source: Source) => boolean): string[] {
  return sources.flatMap((source) =>
    source.imports
      .filter((specifier) => forbidden(specifier, source))
      .map((specifier) => `${source.path} imports ${specifier}`),
  );
}

function isDomain({ owner, path }: Source): boolean {
  const [, , , folder = '', file] = path.split('/');
  return serverPackages.includes(owner.name) && file !== undefined && !servingFolders.has(folder);
}

test('only the aggregator imports another server package', () => {
  expect(
    offenders(
      (specifier, { owner }) =>
        owner.name !== aggregator &&
        serverPackages.some((name) => name !== owner.name && isOf(specifier, name)),
    ),
  ).toEqual([]);
});

test('the aggregator imports the public index of servers only', () => {
  expect(
    offenders(
      (specifier, { owner }) =>
        owner.name === aggregator && serverPackages.some((name) => specifier.startsWith(`${name}/`)),
    ),
  ).toEqual([]);
});

test('only core imports the SDK; the aggregator may use its client', () => {
  expect(
    offenders(
      (specifier, { owner }) =>
        specifier.startsWith(sdk) &&
        owner.name !== core &&
        !(owner.name === aggregator && isOf(specifier, `${sdk}client`)),
    ),
  ).toEqual([]);
});

test('the domain of a server knows neither the SDK nor core', () => {
  expect(
    offenders(
      (specifier, source) =>
        isDomain(source) && (specifier.startsWith(sdk) || (isOf(specifier, core) && specifier !== clock)),
    ),
  ).toEqual([]);
});

function isOf(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`);
}
