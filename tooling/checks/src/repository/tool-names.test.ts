import { globSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createAggregator, openBuiltIn } from '@deskside/aggregator';
import { connectInProcess, firstText, type Peer, temporaryFolder } from '@deskside/testkit';
import { contractRows } from '@deskside/todo/contract-rows';
import { expect, onTestFinished, test, vi } from 'vitest';
import { servers } from '../workspace.ts';
import { bareNames, errorCalls } from './bare-names.ts';
import { sources, stringsIn } from './sources.ts';

test('a bare tool name in a text is found, a mounted one is not', () => {
  expect(bareNames('Choose one with list_screenshots.', ['list_screenshots'])).toEqual(['list_screenshots']);
  expect(bareNames('Choose one with manictime_list_screenshots.', ['list_screenshots'])).toEqual([]);
});

// Under a mount the name is another one, so a text takes it from toolName('list_screenshots').
test.each(servers)('no text in the sources of $name contains a bare tool name', ({ name, directory }) => {
  const listing = JSON.parse(readFileSync(join(directory, 'tools.json'), 'utf8')) as {
    readonly name: string;
  }[];
  const tools = listing.map((tool) => tool.name);
  expect(tools.length).toBeGreaterThan(0);
  const own = sources.filter(
    // Options are for the standalone program.
    ({ owner, path }) => owner.name === name && !path.endsWith('/src/options.ts'),
  );
  const found = own.flatMap(({ path }) =>
    stringsIn(path).flatMap((text) => bareNames(text, tools).map((tool) => `${path}: ${tool} in "${text}"`)),
  );
  expect(found).toEqual([]);
});

/** Real servers in one aggregator, with new folders and without a desktop. */
async function openMounts(): Promise<{ readonly peer: Peer; readonly folder: string }> {
  const folder = temporaryFolder();
  for (const name of [
    'HOME',
    'TMPDIR',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_STATE_HOME',
    'XDG_RUNTIME_DIR',
  ]) {
    vi.stubEnv(name, folder);
  }
  for (const name of ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS']) vi.stubEnv(name, '');
  onTestFinished(() => void vi.unstubAllEnvs());
  const opened = await openBuiltIn({
    LOG_NOTIFY_FILE: join(folder, 'notify.jsonl'),
    LOG_NOTIFY_FILTER: 'off',
    MANICTIME_DEMO: 'true',
    NOTIFY_POPUP_BROWSER: join(folder, 'missing'),
    NOTIFY_POPUP_ELICITATION: 'false',
    NOTIFY_POPUP_PRESENTER: 'chromium',
    TODO_DATABASE_URL: ':memory:',
    TODO_TOOLS: 'all',
  });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const { definition } = await createAggregator(opened);
  const capabilities = { extensions: { 'io.modelcontextprotocol/ui': {} } };
  const peer = await connectInProcess(definition, { era: 'modern', over: 'stdio', capabilities });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return { peer, folder };
}

const allTools = servers.flatMap(({ directory }) =>
  (JSON.parse(readFileSync(join(directory, 'tools.json'), 'utf8')) as { readonly name: string }[]).map(
    ({ name }) => name,
  ),
);

/** Calls a tool, and returns its text if it is an error. */
async function errorOf(peer: Peer, tool: string, args: Record<string, unknown>): Promise<string | undefined> {
  try {
    const { isError = false, content } = await peer.callTool(tool, args);
    return isError ? JSON.stringify(content) : undefined;
  } catch (error) {
    return String(error);
  }
}

const MOUNTS = ['log', 'manictime', 'popup', 'toast', 'todo'];

test.each(MOUNTS)(
  'no error of a tool of %s contains a bare tool name, whatever the arguments',
  async (mount) => {
    const { peer } = await openMounts();
    const all = await peer.listTools();
    expect(all.filter(({ name }) => MOUNTS.some((id) => name.startsWith(`${id}_`)))).toHaveLength(
      allTools.length,
    );
    const tools = all.filter(({ name }) => name.startsWith(`${mount}_`));
    expect(tools.length).toBeGreaterThan(0);
    const found: string[] = [];
    for (const tool of tools) {
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

test('no error of the contract of todo contains a bare tool name under a mount', async () => {
  const { peer } = await openMounts();
  const errors: string[] = [];
  for (const { tool, args } of contractRows.flatMap(({ steps }) => steps)) {
    errors.push((await errorOf(peer, `todo_${tool}`, args)) ?? '');
  }
  expect(errors.filter((text) => text !== '').length).toBeGreaterThan(10);
  expect(errors.flatMap((text) => bareNames(text, allTools))).toEqual([]);
});

test('no error about a damaged or deleted screenshot contains a bare tool name under a mount', async () => {
  const { peer, folder } = await openMounts();
  // The first call writes the demo data.
  await peer.callTool('manictime_get_timelines');
  const files = globSync('**/*.{jpg,jpeg,png}', { cwd: folder }).map((file) => join(folder, file));
  const [day = 'no screenshots'] = /\d{4}-\d{2}-\d{2}/.exec(files.at(-1) ?? '') ?? [];
  const nextDay = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  const range = { startDate: day, endDate: nextDay };
  const listing = await peer.callTool('manictime_list_screenshots', range);
  const { screenshots } = JSON.parse(firstText(listing)) as {
    readonly screenshots: { readonly screenshotRef: string }[];
  };
  expect(screenshots.length).toBeGreaterThan(0);
  const texts: string[] = [];
  for (const change of [(file: string) => truncateSync(file, 200), (file: string) => rmSync(file)]) {
    for (const file of files) change(file);
    for (const { screenshotRef } of screenshots.slice(0, 2)) {
      const region = { x: 10, y: 10, width: 20, height: 20 };
      for (const tool of ['get_screenshot', 'crop_screenshot', 'save_screenshot']) {
        texts.push((await errorOf(peer, `manictime_${tool}`, { screenshotRef, ...region })) ?? '');
      }
    }
  }
  expect(texts.filter((text) => text !== '').length).toBeGreaterThan(3);
  expect(texts.flatMap((text) => bareNames(text, allTools).map((name) => `${name} in ${text}`))).toEqual([]);
});
