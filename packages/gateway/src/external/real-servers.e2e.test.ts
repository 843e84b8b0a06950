import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Era } from '@deskside/core';
import { isObject } from '@deskside/core/base';
import { startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { running } from '../testing/external.ts';
import { openDesk } from '../testing/open-desk.ts';
import { type RawOptions, type RawPeer, rawPeer } from '../testing/raw-peer.ts';
import { systemTransports } from './transport.ts';

type Json = Readonly<Record<string, unknown>>;

/** A call in the server's own names. */
type Row = readonly [method: string, params: Json];

/** A server of other people, and calls of everything that it offers. */
interface RealServer {
  readonly packageName: string;
  readonly bin: string;
  readonly era: Era;
  readonly args: (folder: string) => readonly string[];
  /** Brings the folder into the state in which the rows begin. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** Arguments by tool, in this order. The test fails for a tool that neither this table nor a row calls. */
  readonly tools: Readonly<Record<string, Json>>;
  readonly rows?: readonly Row[];
  /** Parts that differ from run to run. */
  readonly varying: RegExp;
}

const MODULES = join(import.meta.dirname, '../../node_modules');
const PATH = process.env['PATH'] ?? '';

/** Calls, each with the bytes of its answer. What varies is masked. */
type Answered = readonly (readonly [call: string, answer: string])[];

const everything: RealServer = {
  packageName: '@modelcontextprotocol/server-everything',
  bin: 'dist/index.js',
  era: 'legacy',
  args: () => ['stdio'],
  tools: {
    echo: { message: 'Ärger\u200d\u0007 {"a":1}' },
    'get-annotated-message': { messageType: 'error', includeImage: true },
    'get-env': {},
    'get-resource-links': { count: 3 },
    'get-resource-reference': { resourceType: 'Text', resourceId: 1 },
    'get-structured-content': { location: 'Chicago' },
    'get-sum': { a: 1, b: 2 },
    'get-tiny-image': {},
    'gzip-file-as-resource': { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' },
    'toggle-simulated-logging': {},
    'toggle-subscriber-updates': {},
    'trigger-long-running-operation': { duration: 0.05, steps: 2 },
    'simulate-research-query': { topic: 'x' },
  },
  rows: [
    ['tools/call', { name: 'echo', arguments: {} }],
    ['tools/call', { name: 'get-sum', arguments: { a: 'x' } }],
    ['prompts/get', { name: 'args-prompt', arguments: { city: 'Rome', state: 'Lazio' } }],
    ['prompts/get', { name: 'args-prompt', arguments: {} }],
    ['prompts/get', { name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '1' } }],
    ['resources/read', { uri: 'demo://resource/dynamic/text/1' }],
    ['resources/read', { uri: 'demo://resource/dynamic/blob/2' }],
    [
      'completion/complete',
      {
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'department', value: 'S' },
      },
    ],
    [
      'completion/complete',
      {
        ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
        argument: { name: 'resourceId', value: '1' },
      },
    ],
  ],
  varying:
    /\d{1,2}:\d\d:\d\d(?: [AP]M)?|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|UmVzb3VyY2[\w+/=]+/g,
};

/** Uses version 2 of the SDK. */
const vault: RealServer = {
  packageName: '@bitbonsai/mcpvault',
  bin: 'dist/server.js',
  era: 'modern',
  args: (folder) => [folder],
  async prepare(folder) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(join(folder, '.obsidian'), { recursive: true });
    await writeFile(join(folder, 'Note.md'), '---\ntags: [a]\n---\nHello #b [[Other]]\n');
    await writeFile(join(folder, 'Other.md'), 'World\n');
  },
  tools: {
    read_note: { path: 'Note.md' },
    write_note: { path: 'New.md', content: 'text', frontmatter: { tags: ['x'] } },
    patch_note: { path: 'Note.md', oldString: 'Hello', newString: 'Bye' },
    list_directory: {},
    search_notes: { query: 'World' },
    move_note: { oldPath: 'New.md', newPath: 'Moved.md' },
    move_file: {
      oldPath: 'Moved.md',
      newPath: 'Again.md',
      confirmOldPath: 'Moved.md',
      confirmNewPath: 'Again.md',
    },
    read_multiple_notes: { paths: ['Note.md', 'missing.md'] },
    update_frontmatter: { path: 'Note.md', frontmatter: { status: 'done' } },
    get_notes_info: { paths: ['Other.md'] },
    get_frontmatter: { path: 'Note.md' },
    manage_tags: { path: 'Note.md', operation: 'list' },
    get_vault_stats: {},
    list_all_tags: {},
    wiki_link: { document: 'Other' },
    get_note_outline: { path: 'Note.md' },
    read_note_lines: { path: 'Note.md', startLine: 1, endLine: 2 },
    delete_note: { path: 'Again.md', confirmPath: 'Again.md' },
  },
  varying: /\d{13}(?:\.\d+)?/g,
};

/** Makes the same calls directly and through the desk, and compares the lists. */
async function bothWays(
  server: RealServer,
): Promise<{ readonly direct: Answered; readonly through: Answered }> {
  const folder = join(temporaryFolder(), 'folder');
  const env = { PATH, HOME: '/nonexistent' };
  const options: RawOptions = { era: server.era };
  const prepare = () => server.prepare?.(folder);

  await prepare();
  const [command, ...args] = commandOf(server, folder);
  const program = startProgram({ command, args, env });
  const end = async () => program[Symbol.asyncDispose]();
  onTestFinished(end);
  const direct = await rawPeer(program.child.stdin, program.child.stdout, options, end);
  const tools = (await allListed(direct, 'tools/list', 'tools')).filter(runsInForeground);
  const listed = tools.map(({ name }) => String(name));
  const rows = rowsOf(server, listed);
  const expected = await answers(direct, rows, (name) => name);
  const templates = await allListed(direct, 'resources/templates/list', 'resourceTemplates');
  await end();

  await prepare();
  const specs = { x: running({ command, args, env }) };
  const opened = await openDesk(specs, { openTransport: systemTransports({}), client: options });
  const through = opened.peer;
  const throughTools = await allListed(through, 'tools/list', 'tools');
  expect(throughTools.map(({ name }) => name)).toStrictEqual(
    tools.map(({ name }) => `x_${String(name)}`).toSorted(),
  );
  expect(await allListed(through, 'resources/templates/list', 'resourceTemplates')).toStrictEqual(templates);
  const actual = await answers(through, rows, (name) => `x_${name}`);
  const masked = (texts: readonly string[]): Answered =>
    texts.map((text, index) => [JSON.stringify(rows[index]), text.replaceAll(server.varying, '…')]);
  return { direct: masked(expected), through: masked(actual) };
}

function commandOf({ packageName, bin, args }: RealServer, folder: string): [string, ...string[]] {
  return [process.execPath, join(MODULES, packageName, bin), ...args(folder)];
}

function rowsOf(server: RealServer, listed: readonly string[]): readonly Row[] {
  const { tools, rows = [] } = server;
  const called = new Set([...Object.keys(tools), ...rows.map(([, { name }]) => name)]);
  const missing = listed.filter((name) => !called.has(name));
  expect({ missing }, 'tools without a row').toStrictEqual({ missing: [] });
  return [
    ...Object.entries(tools)
      .filter(([name]) => listed.includes(name))
      .map(([name, args]): Row => ['tools/call', { name, arguments: args }]),
    ...rows,
  ];
}

/** The bytes of each answer, in the order of the rows. */
async function answers(
  peer: RawPeer,
  rows: readonly Row[],
  nameOf: (name: string) => string,
): Promise<string[]> {
  const all: string[] = [];
  for (const [method, params] of rows) {
    const ref = params['ref'] as Json | undefined;
    const named = {
      ...params,
      ...(typeof params['name'] === 'string' ? { name: nameOf(params['name']) } : {}),
      ...(typeof ref?.['name'] === 'string' ? { ref: { ...ref, name: nameOf(ref['name']) } } : {}),
    };
    all.push(JSON.stringify(await peer.request(method, named)));
  }
  return all;
}

async function allListed(peer: RawPeer, method: string, member: string): Promise<readonly Json[]> {
  return ((await peer.request(method))[member] as readonly Json[] | undefined) ?? [];
}

/** The desk runs no tasks. */
function runsInForeground({ execution }: Readonly<Record<string, unknown>>): boolean {
  return !isObject(execution) || execution['taskSupport'] !== 'required';
}

test.each([everything, vault])(
  'every answer of $packageName through the desk has the bytes of the direct answer',
  async (server) => {
    const { direct, through } = await bothWays(server);
    expect(through).toStrictEqual(direct);
  },
);
