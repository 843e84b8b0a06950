import { copyFileSync, existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { openUserJournal } from '@deskside/desktop';
import { connectInProcess, firstText, LEGS } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { accept } from '@deskside/gateway/config';
import { placesFor } from './config/load.ts';
import { openDesk } from './open-desk.ts';
import { userHome } from './testing/user-home.ts';

/** Of this process, on Linux. */
const openFiles = () => readdirSync('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`));

/** Undefined for a file that was closed meanwhile. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

const core = JSON.stringify(import.meta.resolve('@deskside/core'));

/** A module that writes a file when it is closed. */
const MODULE = `
  import { writeFileSync } from 'node:fs';
  import { defineServer } from ${core};
  export const open = ({ file }) => ({ [Symbol.dispose]: () => writeFileSync(file, 'closed') });
  export const definition = () => defineServer({
    name: 'weather', version: '1.0.0', deps: null,
    resources: [{ uri: 'weather://city', name: 'city', read: () => 'Berlin' }],
  });
`;

/** A desk with todo and a module, and whether each of them is closed. */
async function openDeskWithModule() {
  const home = userHome();
  const [closed, database] = [join(home.folder, 'closed'), join(home.folder, 'todo.db')];
  writeFileSync(join(home.file, '../weather.mjs'), MODULE);
  home.edit(`[mounts.weather]\nmodule = "./weather.mjs"\noptions = { file = "${closed}" }\n`);
  await accept(placesFor(home.file), home.text());
  const settings = { config: home.file, mounts: ['todo', 'weather'], noMounts: [] };
  return {
    desk: await openDesk(settings, { env: { TODO_DATABASE_URL: database }, log: silentLog }),
    isTodoOpen: () => existsSync(`${database}-wal`),
    isModuleClosed: () => existsSync(closed),
  };
}

test('a desk that is closed closes its own servers and its modules', async () => {
  const { desk, isTodoOpen, isModuleClosed } = await openDeskWithModule();
  await using peer = await connectInProcess(desk.aggregator.definition, LEGS[0]);
  await peer.callTool('todo_add_task', { user_id: 'me', title: 'one' });
  expect([isTodoOpen(), isModuleClosed()]).toStrictEqual([true, false]);
  await desk[Symbol.asyncDispose]();
  expect([isTodoOpen(), isModuleClosed()]).toStrictEqual([false, true]);
});

test.runIf(process.platform === 'linux')('the servers of a desk share one desk database', async () => {
  const { folder } = userHome();
  const database = join(folder, 'state/deskside/desk.sqlite');
  const settings = { mounts: ['log', 'toast'], noMounts: [] };
  await using desk = await openDesk(settings, { env: { LOG_NOTIFY_SINKS: 'file' }, log: silentLog });
  await using peer = await connectInProcess(desk.aggregator.definition, LEGS[0]);
  await peer.callTool('log_notify', { message: 'Built.' });
  await peer.callTool('toast_show_notification', { title: 'Built', message: 'It works.' });
  await expect.poll(() => openFiles().filter((file) => file === database)).toHaveLength(1);
  await using journal = openUserJournal(silentLog);
  await expect.poll(async () => (await journal.records()).map(({ mount }) => mount)).toContain('toast');
  expect((await journal.records()).map(({ mount }) => mount)).toContain('log');
});

test('a desk logs a privacy rule of manictime that matches nothing', async () => {
  userHome();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const log = { ...silentLog, warn: (message: string, fields?: object) => resolve({ message, ...fields }) };
  const env = { MANICTIME_DEMO: 'true', MANICTIME_EXCLUDE: 'app:slak' };
  await using desk = await openDesk({ mounts: ['manictime'], noMounts: [] }, { env, log });
  expect(await promise).toStrictEqual({
    message: 'privacy rule matches nothing in the last 30 days with data',
    rule: 'app:slak',
  });
  expect(desk.configNotes).toStrictEqual([]);
});

test('what is accepted while a desk opens is loaded, too', async () => {
  const home = userHome();
  const places = placesFor(home.file);
  writeFileSync(
    join(home.file, '../weather.mjs'),
    MODULE.replace('{ writeFileSync }', '{ copyFileSync }').replace(
      /open = .*/,
      'open = ({ from, to }) => copyFileSync(from, to);',
    ),
  );
  const late = join(home.folder, 'late.toml');
  const options = `{ from = "${late}", to = "${places.accepted}" }`;
  home.edit(`[mounts.weather]\nmodule = "./weather.mjs"\noptions = ${options}\n`);
  await accept(places, `${home.text()}[profiles.late]\n`);
  copyFileSync(places.accepted, late);
  await accept(places, home.text());
  const settings = { config: home.file, mounts: ['weather'], noMounts: [] };
  await using desk = await openDesk(settings, { env: {}, log: silentLog });
  await expect.poll(() => [...desk.aggregator.routes.keys()]).toContain('/mcp/p/late');
});

test('a desk with demo data has manictime, whatever other data is set', async () => {
  userHome();
  const env = { MANICTIME_DATA_DIR: '/no/such/folder' };
  const timelines = async (demo: boolean) => {
    await using desk = await openDesk({ mounts: ['manictime'], demo }, { env, log: silentLog });
    await using peer = await connectInProcess(desk.aggregator.definition, LEGS[0]);
    return firstText(await peer.callTool('manictime_get_timelines', {}));
  };
  expect(await timelines(false)).toContain('DATABASE_NOT_FOUND');
  expect(await timelines(true)).toMatch(/"timelines":\[\{/);
});
