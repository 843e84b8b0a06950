import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanEnvironment,
  connectHttp,
  firstText,
  type Program,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { expect, test } from 'vitest';
import { tokenStore } from './tokens/tokens.ts';

const CLI = join(import.meta.dirname, '../dist/bin/cli.js');

function start(home: string, ...args: readonly string[]): Program {
  const env = { ...cleanEnvironment(home), DESKSIDE_TOKEN: TOKEN };
  return startProgram({ command: process.execPath, args: [CLI, ...args], env });
}

const TOKEN = 'a-long-enough-token';

/** Runs a command to its end. */
async function run(home: string, ...args: readonly string[]) {
  await using program = start(home, ...args);
  const code = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

function homeWith(files: Readonly<Record<string, string>>): {
  readonly home: string;
  readonly folder: string;
} {
  const home = temporaryFolder();
  const folder = join(home, 'config/deskside');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { home, folder };
}

const CORE = JSON.stringify(import.meta.resolve('@deskside/core'));
const ZOD = JSON.stringify(import.meta.resolve('zod'));

/** Servers of other people: one with a list that grows, one that rejects late, one that throws, one that hangs. */
const MODULES = {
  'growing.mjs': `
    import { changeFeed, defineServer, toolDefiner } from ${CORE};
    import { z } from ${ZOD};
    const changes = changeFeed();
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const define = (name, run) => toolDefiner()({ name, title: name, description: name, annotations, input: z.object({}), run });
    let tools;
    const grow = define('grow', () => {
      tools = [grow, reject, define('later', () => 'here')];
      changes.changed('tools');
      return 'grown';
    });
    const reject = define('reject', () => {
      setImmediate(() => void Promise.reject(new Error('too late')));
      return 'ok';
    });
    tools = [grow, reject];
    export const definition = defineServer({ name: 'growing', version: '1.0.0', deps: null, changes, tools: () => tools });
  `,
  'throwing.mjs': `throw new Error('no key')`,
  'hanging.mjs': `
    import { defineServer } from ${CORE};
    const server = defineServer({ name: 'hanging', version: '1.0.0', deps: null });
    export const definition = { ...server, listTools: () => new Promise(() => undefined) };
  `,
};

test('deskside http serves own modules, and survives those that throw, hang and reject, and limits a token to its user and profile', async () => {
  const { home } = homeWith({
    ...MODULES,
    'deskside.toml': [
      ...['growing', 'throwing', 'hanging'].map((name) => `[mounts.${name}]\nmodule = "./${name}.mjs"\n`),
      '[profiles.small]\nmounts = ["todo"]\ninclude = ["*_add_task", "*_list_tasks"]',
    ].join('\n'),
  });
  expect(await run(home, 'apply', '--yes')).toMatchObject({ code: 0 });
  await using server = start(home, 'http', '--port', '0', '--no-mounts', 'log,manictime,popup,toast');
  const [, url = ''] = await server.printed(/serves MCP at (\S+)/);
  await server.printed(/^Mount throwing is degraded: \.\/throwing\.mjs cannot be mounted: no key\.$/m);
  await server.printed(/^Mount hanging is degraded: Listing its tools takes longer than 2 s\.$/m);
  await using peer = await connectHttp(url, { era: 'legacy', token: TOKEN });
  const names = async () =>
    (await peer.listTools())
      .map(({ name }) => name)
      .toSorted()
      .join(' ');
  expect(await names()).toMatch(/^growing_grow growing_reject todo_/);
  expect(firstText(await peer.callTool('growing_reject'))).toBe('ok');
  await server.printed(/"message":"unhandled rejection","mount":"growing","error":"Error: too late/);
  expect(firstText(await peer.callTool('growing_grow'))).toBe('grown');
  expect(await names()).toMatch(/^growing_grow growing_later growing_reject todo_/);
  expect(firstText(await peer.callTool('growing_later'))).toBe('here');
  expect(firstText(await peer.callTool('todo_list_tasks', { user_id: 'me' }))).toBe('[]');

  const guest = await tokenStore(join(home, 'data/deskside/tokens.json')).create({
    name: 'guest',
    user: 'bob',
    profile: 'small',
  });
  await using other = await connectHttp(url, { era: 'modern', token: guest });
  expect((await other.listTools()).map(({ name }) => name)).toStrictEqual([
    'todo_add_task',
    'todo_list_tasks',
  ]);
  await other.callTool('todo_add_task', { user_id: 'me', title: "bob's secret" });
  expect(firstText(await peer.callTool('todo_list_tasks', { user_id: 'me' }))).toBe('[]');

  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  const calls = await run(home, 'log', '--calls', '--json');
  expect(calls.stdout).not.toContain('secret');
  const last = calls.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .slice(-2);
  expect(last).toMatchObject([
    { mount: 'todo', tool: 'add_task', outcome: 'ok', user: 'bob', token: 'guest', caller: 'guest' },
    { mount: 'todo', tool: 'list_tasks', outcome: 'ok', user: 'owner', session: expect.any(String) },
  ]);
});
