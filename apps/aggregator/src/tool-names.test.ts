import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { bareNames, cleanEnvironment, connectInProcess, type Peer } from '@deskside/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAggregator } from '@deskside/gateway';
import { openBuiltIn } from './mounts/built-in.ts';

const PACKAGES = join(import.meta.dirname, '../../../packages');

/** By server, without the prefix of its mount. */
const tools = globSync('*/tools.json', { cwd: PACKAGES }).map((file) => {
  const listed = JSON.parse(readFileSync(join(PACKAGES, file), 'utf8')) as { readonly name: string }[];
  return { server: dirname(file), names: listed.map(({ name }) => name) };
});
const allNames = tools.flatMap(({ names }) => names);

/** Calls a tool, and returns its text if it is an error. */
async function errorOf(peer: Peer, tool: string, args: Record<string, unknown>): Promise<string | undefined> {
  try {
    const { isError = false, content } = await peer.callTool(tool, args);
    return isError ? JSON.stringify(content) : undefined;
  } catch (error) {
    return String(error);
  }
}

/** Real servers with new folders and without a desktop. */
const opened = new AsyncDisposableStack();
let peer: Peer;
beforeAll(async () => {
  const { path } = opened.use(temporaryFolder());
  const none = { WAYLAND_DISPLAY: '', DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: path, TMPDIR: path };
  for (const [name, value] of Object.entries({ ...cleanEnvironment(path), ...none })) vi.stubEnv(name, value);
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

test.each(tools)(
  'no error of a tool of $server contains a bare tool name, whatever the arguments',
  async ({ names }) => {
    const all = await peer.listTools();
    const own = names.map((tool) => all.find(({ name }) => name.endsWith(`_${tool}`)));
    const found: string[] = [];
    for (const tool of own) {
      if (tool === undefined) throw new Error('A tool is not mounted.');
      let errors = 0;
      for (const args of errorCalls(tool)) {
        const text = await errorOf(peer, tool.name, args);
        if (text === undefined) continue;
        errors += 1;
        found.push(...bareNames(text, allNames).map((name) => `${tool.name}: ${name} in ${text}`));
      }
      const { required = [] } = tool.inputSchema;
      if (required.length > 0) expect(errors, `${tool.name} accepts all arguments`).toBeGreaterThan(0);
    }
    expect(new Set(found)).toEqual(new Set());
  },
);

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
