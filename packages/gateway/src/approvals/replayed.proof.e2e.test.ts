import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ServerCommand } from '../external/spec.ts';
import { running } from '../testing/external.ts';
import { callOf } from '../testing/fake.ts';
import { installNpm, programOf } from '../testing/npm-servers.ts';
import { openDesk } from '../testing/open-desk.ts';
import { commandOf } from '../testing/real-server.ts';
import { scriptedPerson } from '../testing/scripted-person.ts';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** Of the calls of a session. */
const PERSON_SHARE = 0.03;
const INSTALLED = 'replayed';
const GIT = '@cyanheads/git-mcp-server';
const GITHUB = '@modelcontextprotocol/server-github';

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

interface Listed {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
}

const times = (count: number, calls: readonly Call[]) => Array.from({ length: count }, () => calls).flat();

async function openServer(server: ServerCommand) {
  const { approvals, open } = scriptedPerson();
  const { peer } = await openDesk({ x: running(server) }, { approvals, tools: 'all' });
  const { tools } = (await peer.request('tools/list')) as { tools: readonly Listed[] };
  const hints = new Map(tools.map(({ name, annotations = {} }) => [name.slice(2), annotations]));
  return { peer, open, hints };
}

/**
 * Makes the calls of an agent, whose person allows each tool for the session. What reads is never asked about, and what
 * may destroy data always.
 *
 * @returns the tools that were asked about
 */
async function replay(server: ServerCommand, calls: readonly Call[]): Promise<readonly string[]> {
  const { peer, open, hints } = await openServer(server);
  const asked: string[] = [];
  for (const [tool, args] of calls) {
    const calling = callOf(peer, `x_${tool}`, args);
    let isOver = false;
    const over = calling.finally(() => (isOver = true));
    await expect.poll(() => isOver || open.length > 0, { timeout: 20_000, interval: 2 }).toBe(true);
    if (open.length > 0) {
      asked.push(tool);
      open[0]?.answer({ kind: 'allowed', scope: 'session' });
    }
    const answer = JSON.stringify(await over);
    expect(answer, `${tool} ${JSON.stringify(args)}`).not.toMatch(/"isError":true|NOT_APPROVED|DENIED/);
  }
  const used = [...new Set(calls.map(([tool]) => tool))];
  const reads = new Set(used.filter((tool) => hints.get(tool)?.readOnlyHint === true));
  expect(asked.filter((tool) => reads.has(tool))).toStrictEqual([]);
  const destroys = used.filter((tool) => !reads.has(tool) && hints.get(tool)?.destructiveHint !== false);
  expect(destroys.length).toBeGreaterThan(0);
  expect(asked).toStrictEqual(expect.arrayContaining(destroys));
  return asked;
}

/** An agent that looks around, changes a few files, and looks again. */
function filesSession(folder: string) {
  mkdirSync(join(folder, 'src'));
  for (const name of ['a', 'b']) writeFileSync(join(folder, `src/${name}.ts`), `export const ${name} = 1;\n`);
  const at = (name: string) => ({ path: join(folder, name) });
  const look: readonly Call[] = [
    ['list_directory', at('src')],
    ['directory_tree', at('.')],
    ['search_files', { ...at('.'), pattern: '*.ts' }],
    ['read_text_file', at('src/a.ts')],
    ['read_text_file', at('src/b.ts')],
    ['get_file_info', at('src/a.ts')],
    ['read_multiple_files', { paths: [join(folder, 'src/a.ts'), join(folder, 'src/b.ts')] }],
    ['list_allowed_directories', {}],
  ];
  const edits = [{ oldText: '1', newText: '2' }];
  const [command, ...args] = commandOf(
    {
      packageName: '@modelcontextprotocol/server-filesystem',
      bin: 'dist/index.js',
      era: 'legacy',
      args: () => [folder],
    },
    folder,
  );
  const calls: readonly Call[] = [
    ...times(6, look),
    ['edit_file', { ...at('src/a.ts'), edits }],
    ['edit_file', { ...at('src/b.ts'), edits }],
    ['write_file', { ...at('src/c.ts'), content: 'export const c = 3;\n' }],
    ...times(5, look),
    ['move_file', { source: join(folder, 'src/c.ts'), destination: join(folder, 'src/d.ts') }],
    ...times(5, look),
  ];
  return { server: { command, args }, calls };
}

const learn = (name: string): readonly Call[] => [
  ['search_nodes', { query: name }],
  ['create_entities', { entities: [{ name, entityType: 'service', observations: ['uses PostgreSQL'] }] }],
  ['open_nodes', { names: [name] }],
  ['add_observations', { observations: [{ entityName: name, contents: ['runs on port 3333'] }] }],
  ['create_relations', { relations: [{ from: name, to: 'shop', relationType: 'belongs to' }] }],
  ['read_graph', {}],
];

/** An agent that remembers what it learns, and corrects it twice. */
function memorySession(folder: string) {
  const [command, ...args] = commandOf(
    { packageName: '@modelcontextprotocol/server-memory', bin: 'dist/index.js', era: 'legacy' },
    folder,
  );
  const names = Array.from({ length: 12 }, (_, index) => `service ${index}`);
  const calls: readonly Call[] = [
    ...learn('shop'),
    ...names.flatMap(learn),
    [
      'delete_observations',
      { deletions: [{ entityName: 'service 1', observations: ['runs on port 3333'] }] },
    ],
    ['delete_entities', { entityNames: ['service 2'] }],
    ...times(10, [['read_graph', {}]]),
  ];
  return {
    server: { command, args, env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
    calls,
  };
}

/** An agent that looks at a repository, and commits three times. */
function gitSession(folder: string) {
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: folder });
  git('init', '--initial-branch', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  git('config', 'commit.gpgsign', 'false');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git('add', '.');
  git('commit', '--message', 'Start');
  for (const name of ['b', 'c', 'd']) writeFileSync(join(folder, `${name}.txt`), 'two\n');
  const path = folder;
  const look: readonly Call[] = [
    ['git_status', { path }],
    ['git_diff', { path }],
    ['git_log', { path }],
    ['git_show', { path, object: 'HEAD' }],
    ['git_blame', { path, filePath: 'a.txt' }],
  ];
  const commit = (name: string): readonly Call[] => [
    ...times(5, look),
    ['git_add', { path, paths: [`${name}.txt`] }],
    ['git_commit', { path, message: `Add ${name}` }],
  ];
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, LOGS_DIR: temporaryFolder() };
  return {
    server: { command: process.execPath, args: [programOf(GIT, INSTALLED)], env, cwd: temporaryFolder() },
    calls: ['b', 'c', 'd'].flatMap(commit),
  };
}

const PAGE = `<!doctype html><link rel="icon" href="data:,"><title>Shop</title><h1>Shop</h1>
  <label>Name <input id="name"></label><button onclick="document.querySelector('h1').append('!')">Buy</button>`;

/** An agent that tests a page of a shop. */
async function browserSession(folder: string) {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const options = ['--headless', '--isolated', '--no-sandbox', '--executable-path', CHROMIUM];
  const [command, ...args] = commandOf(
    {
      packageName: '@playwright/mcp',
      bin: 'cli.js',
      era: 'legacy',
      args: () => [...options, '--output-dir', folder],
    },
    folder,
  );
  const look: readonly Call[] = [
    ['browser_snapshot', {}],
    ['browser_find', { text: 'Shop' }],
    ['browser_console_messages', { level: 'debug' }],
    ['browser_network_requests', { static: true }],
    ['browser_wait_for', { text: 'Shop' }],
  ];
  const tryOut: readonly Call[] = [
    ['browser_navigate', { url: `http://127.0.0.1:${port}/` }],
    ...look,
    ['browser_type', { target: '#name', text: 'Ada' }],
    ...look,
    ['browser_click', { target: 'button' }],
    ...look,
    ['browser_take_screenshot', {}],
  ];
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  return { server: { command, args, env }, calls: times(3, tryOut) };
}

test('a session with the real file server asks for what destroys, for nothing that reads, and rarely', async () => {
  const { server, calls } = filesSession(temporaryFolder());
  const asked = await replay(server, calls);
  expect(asked).toStrictEqual(['edit_file', 'write_file', 'move_file']);
  expect(asked.length / calls.length).toBeLessThanOrEqual(PERSON_SHARE);
});

test('a session with the real memory server asks for what it deletes', async () => {
  const { server, calls } = memorySession(temporaryFolder());
  const asked = await replay(server, calls);
  expect(asked).toStrictEqual(['delete_observations', 'delete_entities']);
  expect(asked.length / calls.length).toBeLessThanOrEqual(PERSON_SHARE);
});

describe('servers from npm', () => {
  beforeAll(() => installNpm([GIT, GITHUB], INSTALLED));

  test('a session with a real Git server asks before it stages and commits', async () => {
    const { server, calls } = gitSession(temporaryFolder());
    const asked = await replay(server, calls);
    expect(asked).toStrictEqual(['git_add', 'git_commit']);
    expect(asked.length / calls.length).toBeLessThanOrEqual(PERSON_SHARE);
  });

  test('every tool of a GitHub server without hints asks, also those that only read', async () => {
    const env = { GITHUB_PERSONAL_ACCESS_TOKEN: '' };
    const { peer, open, hints } = await openServer({
      command: process.execPath,
      args: [programOf(GITHUB, INSTALLED)],
      env,
    });
    expect(hints.size).toBeGreaterThan(20);
    for (const tool of hints.keys()) {
      const calling = callOf(peer, `x_${tool}`, {});
      await expect.poll(() => open.length, { message: tool }).toBe(1);
      open[0]?.answer({ kind: 'denied', text: '' });
      expect(JSON.stringify(await calling)).toContain('DENIED');
    }
  });

  // Its server says of everything but looking that it destroys data, also of following a link, so this short session alone
  // is above the share. All four sessions together are not: 10 of 360 calls.
  test.skipIf(!existsSync(CHROMIUM))(
    'a session with a real browser asks once for each way to act',
    async () => {
      const { server, calls } = await browserSession(temporaryFolder());
      expect(await replay(server, calls)).toStrictEqual([
        'browser_navigate',
        'browser_type',
        'browser_click',
      ]);
      expect(calls).toHaveLength(57);
    },
  );
});
