import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { connectInProcess, firstText, LEGS, temporaryHome } from '@deskside/testkit';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { type Aggregator, createAggregator } from '@deskside/gateway';
import {
  BUILT_IN_IDS,
  builtInOptions,
  type BuiltInOptions,
  openBuiltIn,
  type OpenMounts,
} from './built-in.ts';

// The code of the mounts is loaded before a test measures its time.
await builtInOptions();

const opened: OpenMounts[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
});

async function start(env: Record<string, string> = {}, options: BuiltInOptions = {}): Promise<Aggregator> {
  const builtIn = await openBuiltIn({ TODO_DATABASE_URL: ':memory:', ...env }, options);
  opened.push(builtIn);
  return createAggregator(builtIn);
}

async function idsOf(options: BuiltInOptions): Promise<string> {
  return (await start({}, options)).mounts.map(({ id }) => id).join(' ');
}

test.each([
  ['its variable', { MANICTIME_DATA_DIR: '/nowhere' }, {}],
  ['the option for mounts', {}, { mounts: ['manictime'] }],
  ['the settings of the configuration file', {}, { settings: { manictime: {} } }],
])('manictime without data lists its tools if %s names it', async (_, env, options) => {
  const states = await (await start(env, options)).mountStates();
  const manictime = states.find(({ id }) => id === 'manictime');
  expect(manictime).toMatchObject({ state: 'ready' });
  expect(manictime?.tools).toBeGreaterThan(5);
});

test('mounts can be selected and left out', async () => {
  expect(await idsOf({ mounts: ['todo', 'log'] })).toBe('log todo');
  expect(await idsOf({ noMounts: BUILT_IN_IDS.filter((id) => id !== 'popup') })).toBe('popup');
  expect(await idsOf({ mounts: ['todo', 'log'], noMounts: ['log'] })).toBe('todo');
  await expect(idsOf({ mounts: ['tdo'] })).rejects.toThrow(
    `Unknown mount "tdo". Mounts: ${BUILT_IN_IDS.join(', ')}.`,
  );
});

test('the user at the desk is that of the settings of todo, and a variable takes precedence', async () => {
  const env = { TODO_DATABASE_URL: ':memory:' };
  const settings = { todo: { user: 'ada' } };
  expect((await openBuiltIn(env, { settings })).user).toBe('ada');
  expect((await openBuiltIn({ ...env, TODO_USER_ID: 'grace' }, { settings })).user).toBe('grace');
});

test.each([
  ['http', { unseen: { stderr: 'not a terminal' } }],
  ['desk', { unseen: {}, suppressed: {} }],
])('the stderr of deskside %s that no person reads: %j', async (command, delivery) => {
  const folder = temporaryHome();
  const { argv } = process;
  process.argv = [...argv.slice(0, 2), command];
  onTestFinished(() => {
    process.argv = argv;
  });
  const config = join(folder, 'log-notify.toml');
  writeFileSync(config, '[file]\nenabled = false\n[desktop]\nenabled = false\n');
  const { definition } = await start({}, { settings: { log: { config } } });
  await using peer = await connectInProcess(definition, LEGS[0]);
  const { _meta } = await peer.callTool('log_notify', { message: 'Milk' });
  expect(_meta?.['deskside/delivery']).toStrictEqual({ delivered: [], suppressed: {}, ...delivery });
});

test.each([
  ['/mcp', 'toast_show_notification', ' or with log_notify'],
  ['/mcp/p/quiet', 'toast_show_notification', ''],
  ['/mcp/toast', 'show_notification', ''],
])('at %s the note of %s names only a tool that the client is offered', async (route, tool, other) => {
  const builtIn = await openBuiltIn({}, { mounts: ['log', 'toast'] });
  opened.push(builtIn);
  const profiles = new Map([['quiet', { exclude: ['log_*'] }]]);
  const { routes } = await createAggregator({ ...builtIn, profiles });
  const definition = routes.get(route);
  if (definition === undefined) throw new Error(`there is no ${route}`);
  await using peer = await connectInProcess(definition, LEGS[0]);
  const { note } = JSON.parse(firstText(await peer.callTool(tool, { message: 'Milk', severity: 'info' })));
  expect(note).toBe(`This client may not show toasts. Tell the person in the chat${other}.`);
});
