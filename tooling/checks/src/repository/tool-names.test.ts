import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { createAggregator, openBuiltIn } from '@deskside/aggregator';
import { bareNames, cleanEnvironment, connectInProcess, type Peer } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { servers } from '../workspace.ts';
import { sources, stringsIn } from './sources.ts';

test('a bare tool name in a text is found, a mounted one is not', () => {
  expect(bareNames('Choose one with list_screenshots.', ['list_screenshots'])).toEqual(['list_screenshots']);
  expect(bareNames('Choose one with manictime_list_screenshots.', ['list_screenshots'])).toEqual([]);
});

const toolsOf = (directory: string) =>
  (JSON.parse(readFileSync(join(directory, 'tools.json'), 'utf8')) as { readonly name: string }[]).map(
    ({ name }) => name,
  );

const allTools = servers.flatMap(({ directory }) => toolsOf(directory));

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

/** Calls a tool, and returns its text if it is an error. */
async function errorOf(peer: Peer, tool: string, args: Record<string, unknown>): Promise<string | undefined> {
  try {
    const { isError = false, content } = await peer.callTool(tool, args);
    return isError ? JSON.stringify(content) : undefined;
  } catch (error) {
    return String(error);
  }
}

describe('of real servers in one aggregator, with new folders and without a desktop', () => {
  const opened = new AsyncDisposableStack();
  let peer: Peer;
  beforeAll(async () => {
    const { path } = opened.use(temporaryFolder());
    const none = { WAYLAND_DISPLAY: '', DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: path, TMPDIR: path };
    for (const [name, value] of Object.entries({ ...cleanEnvironment(path), ...none }))
      vi.stubEnv(name, value);
    opened.defer(() => void vi.unstubAllEnvs());
    const mounts = opened.use(
      await openBuiltIn({
        LOG_NOTIFY_FILE: join(path, 'notify.jsonl'),
        LOG_NOTIFY_FILTER: 'off',
        MANICTIME_DEMO: 'true',
        NOTIFY_POPUP_BROWSER: join(path, 'missing'),
        NOTIFY_POPUP_ELICITATION: 'false',
        NOTIFY_POPUP_PRESENTER: 'chromium',
        TODO_DATABASE_URL: ':memory:',
        TODO_TOOLS: 'all',
      }),
    );
    const { definition } = await createAggregator(mounts);
    const capabilities = { extensions: { 'io.modelcontextprotocol/ui': {} } };
    peer = opened.use(await connectInProcess(definition, { era: 'modern', over: 'stdio', capabilities }));
  });
  afterAll(() => opened.disposeAsync());

  test.each(servers)(
    'no error of a tool of $name contains a bare tool name, whatever the arguments',
    async ({ directory }) => {
      const all = await peer.listTools();
      const own = toolsOf(directory).map((tool) => all.find(({ name }) => name.endsWith(`_${tool}`)));
      const found: string[] = [];
      for (const tool of own) {
        if (tool === undefined) throw new Error('A tool is not mounted.');
        let errors = 0;
        for (const args of errorCalls(tool)) {
          const text = await errorOf(peer, tool.name, args);
          if (text === undefined) continue;
          errors += 1;
          found.push(...bareNames(text, allTools).map((name) => `${tool.name}: ${name} in ${text}`));
        }
        const { required = [] } = tool.inputSchema;
        if (required.length > 0) expect(errors, `${tool.name} accepts all arguments`).toBeGreaterThan(0);
      }
      expect(new Set(found)).toEqual(new Set());
    },
  );
});

const WRONG_VALUES = [null, '', 'x', -1, 1e9, [], '2025-02-30', '2020-01-01', 'x'.repeat(12_000)];

/** Argument objects that a tool rejects: no arguments, then each property with values of many kinds. */
function* errorCalls({ inputSchema }: Awaited<ReturnType<Peer['listTools']>>[number]) {
  const { properties = {}, required = [] } = inputSchema;
  yield {};
  const valid = Object.fromEntries(required.map((name) => [name, exampleOf(name)]));
  for (const name of Object.keys(properties)) {
    for (const value of WRONG_VALUES) yield { ...valid, [name]: value };
  }
}

/** A value that passes the schema, so that other checks are reached. */
function exampleOf(name: string): unknown {
  if (/date/i.test(name)) return '2026-01-01';
  if (/^(?:x|y|width|height)$/.test(name)) return 10;
  return name.endsWith('task_id') ? 1 : 'me';
}
