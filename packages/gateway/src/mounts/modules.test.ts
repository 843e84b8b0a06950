import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { connectInProcess, firstText, LEGS, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createAggregator } from '../aggregator.ts';
import { impatientTimer, namedServer } from '../testing/servers.ts';
import { loadModule } from './modules.ts';

/** Writes files into a temporary folder, as the folder of deskside.toml. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const core = JSON.stringify(import.meta.resolve('@deskside/core'));

const WEATHER = `
  import { defineServer } from ${core};
  export function open(options) {
    globalThis.weatherLog = ['open ' + options.city];
    return { city: options.city, async [Symbol.asyncDispose]() { globalThis.weatherLog.push('close'); } };
  }
  export const definition = ({ city }) => defineServer({
    name: 'weather', version: '1.0.0', deps: null,
    resources: [{ uri: 'weather://city', name: 'city', read: () => city }],
  });
`;

test('a module in a file is opened with its options, mounted, and closed', async () => {
  const folder = folderWith({ 'weather.mjs': WEATHER });
  const module = { module: './weather.mjs', brief: 'The weather.', options: { city: 'Berlin' } };
  const { mount, close } = await loadModule('weather', module, folder);
  const { definition } = await createAggregator({ mounts: [mount] });
  await using peer = await connectInProcess(definition, LEGS[0]);
  expect(peer.instructions).toBe('weather: The weather.');
  expect(await peer.readResource('weather://city')).toMatchObject({ contents: [{ text: 'Berlin' }] });
  await close();
  expect(Reflect.get(globalThis, 'weatherLog')).toStrictEqual(['open Berlin', 'close']);
});

test.each([
  ['that is installed next to deskside.toml is mounted', '', './index.js', undefined],
  ['for import only is mounted', '', { '.': { types: './index.d.ts', import: './index.js' } }, undefined],
  ['does not stand for a path that it does not export', '/other', { import: './index.js' }, 'degraded'],
])('a package %s', async (_, path, exports, state) => {
  const folder = folderWith({
    'node_modules/@acme/weather/package.json': JSON.stringify({ type: 'module', exports }),
    'node_modules/@acme/weather/index.js': WEATHER,
  });
  const { mount } = await loadModule('weather', { module: `@acme/weather${path}` }, folder);
  expect(mount.status?.().state).toBe(state);
  if (state === undefined) expect(mount.definition.identity.version).toBe('1.0.0');
});

test.each([
  ['does not exist', undefined, "Cannot find module './"],
  ['throws while it loads', 'throw new Error("no key")', 'no key.'],
  ['exports no definition', 'export const x = 1', 'it exports no "definition".'],
  ['exports something else', 'export const definition = { identity: {} }', 'is not a server definition'],
  [
    'exports half a definition',
    'export const definition = { identity: { name: "x", version: "1" }, callTool() {} }',
    'is not a server definition',
  ],
  [
    'throws in open',
    'export const definition = {}; export function open() { throw new Error("no network") }',
    'no network.',
  ],
  [
    'does not finish opening',
    'export const definition = {}; export const open = () => new Promise(() => {})',
    'it did not open within 10 s.',
  ],
])('a module that %s is a degraded mount, and the others answer', async (_, code, reason) => {
  const folder = folderWith(code === undefined ? {} : { 'mount.mjs': code });
  const name = code === undefined ? './missing.mjs' : './mount.mjs';
  const startTimer = reason.startsWith('it did not open') ? impatientTimer : undefined;
  const { mount, close } = await loadModule('own', { module: name }, folder, startTimer);
  const { definition, mountStates } = await createAggregator({
    mounts: [mount, { id: 'alpha', definition: namedServer('alpha') }],
  });
  const [state] = await mountStates();
  expect(state).toMatchObject({ id: 'own', state: 'degraded', tools: 0 });
  expect(state?.reason).toContain(`${name} cannot be mounted`);
  if (code !== undefined) expect(state?.reason).toContain(reason);
  await using peer = await connectInProcess(definition, LEGS[0]);
  expect(firstText(await peer.callTool('alpha_ping'))).toBe('alpha');
  await close();
});

test('a package for import only is also found next to this program', async () => {
  const beside = join(import.meta.dirname, 'node_modules');
  onTestFinished(() => rmSync(beside, { recursive: true, force: true }));
  const files = join(beside, '@acme/beside');
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, 'package.json'), '{"type":"module","exports":{".":{"import":"./index.js"}}}');
  writeFileSync(join(files, 'index.js'), WEATHER);
  const { mount } = await loadModule('weather', { module: '@acme/beside' }, temporaryFolder());
  expect(mount.status).toBeUndefined();
});
