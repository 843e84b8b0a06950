import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installPackages, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { running } from '../testing/external.ts';
import { callOf } from '../testing/fake.ts';
import { openDesk } from '../testing/open-desk.ts';
import { SEARCH_QUESTIONS } from '../testing/search-questions.ts';
import type { ServerCommand } from './spec.ts';

/** Outside of the repository: what other people publish is no dependency of it. */
const CACHE = join(homedir(), '.cache/deskside-proof/servers');
const OLD = '@modelcontextprotocol/server';
const NOWHERE = '127.0.0.1:1';

type Row = readonly [id: string, name: string, needs?: Pick<ServerCommand, 'args' | 'env'>];

/** Servers that other people publish on npm, with what they need to list their tools. */
const SERVERS: readonly Row[] = [
  ['chart', '@antv/mcp-server-chart'],
  ['brave', '@brave/brave-search-mcp-server', { env: { BRAVE_API_KEY: 'x' } }],
  ['eslint', '@eslint/mcp'],
  ['mastra', '@mastra/mcp-docs-server'],
  ['bravesearch', `${OLD}-brave-search`, { env: { BRAVE_API_KEY: 'x' } }],
  ['github', `${OLD}-github`, { env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'x' } }],
  ['gitlab', `${OLD}-gitlab`, { env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'x' } }],
  ['maps', `${OLD}-google-maps`, { env: { GOOGLE_MAPS_API_KEY: 'x' } }],
  // It lists its resources from the database, which is not there.
  ['postgres', `${OLD}-postgres`, { args: [`postgresql://${NOWHERE}/x`] }],
  ['puppeteer', `${OLD}-puppeteer`],
  ['thinking', `${OLD}-sequential-thinking`],
  ['slack', `${OLD}-slack`, { env: { SLACK_BOT_TOKEN: 'x', SLACK_TEAM_ID: 'T' } }],
  ['notion', '@notionhq/notion-mcp-server', { env: { NOTION_TOKEN: 'ntn_x' } }],
  ['perplexity', '@perplexity-ai/mcp-server', { env: { PERPLEXITY_API_KEY: 'x' } }],
  ['sentry', '@sentry/mcp-server', { args: ['--access-token=x'] }],
  ['context7', '@upstash/context7-mcp'],
  ['commander', '@wonderwhy-er/desktop-commander'],
  ['airtable', 'airtable-mcp-server', { env: { AIRTABLE_API_KEY: 'x' } }],
  ['devtools', 'chrome-devtools-mcp'],
  ['exa', 'exa-mcp-server', { env: { EXA_API_KEY: 'x' } }],
  ['figma', 'figma-developer-mcp', { args: ['--stdio', '--figma-api-key=x'] }],
  ['firecrawl', 'firecrawl-mcp', { env: { FIRECRAWL_API_KEY: 'fc-x' } }],
  ['obsidian', 'mcp-obsidian', { args: ['.'] }],
  ['searxng', 'mcp-searxng', { env: { SEARXNG_URL: `http://${NOWHERE}` } }],
  ['runner', 'mcp-server-code-runner'],
  ['kubernetes', 'mcp-server-kubernetes'],
  [
    'mongodb',
    'mongodb-mcp-server',
    { env: { MDB_MCP_CONNECTION_STRING: `mongodb://${NOWHERE}/x?serverSelectionTimeoutMS=100` } },
  ],
  ['ref', 'ref-tools-mcp', { env: { REF_API_KEY: 'x' } }],
  ['tavily', 'tavily-mcp', { env: { TAVILY_API_KEY: 'x' } }],
];

/** The program of an installed package. */
function programOf(name: string): string {
  const folder = join(CACHE, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  const [first = ''] = typeof bin === 'string' ? [bin] : Object.values(bin);
  return join(folder, first);
}

test('find_tools returns the right tool of all servers among five', async () => {
  await installPackages(
    SERVERS.map(([, name]) => name),
    CACHE,
    false,
  );
  const specs = SERVERS.map(([id, name, { args = [], env = {} } = {}]) => {
    const command = { command: process.execPath, args: [programOf(name), ...args], env };
    return [id, running({ ...command, cwd: temporaryFolder() })] as const;
  });
  const { peer } = await openDesk(Object.fromEntries(specs));
  const { tools } = (await peer.request('tools/list')) as { tools: readonly { name: string }[] };
  expect(tools.map(({ name }) => name)).toStrictEqual(['call_tool', 'find_tools']);
  const isFound = async (query: string, right: readonly string[]) => {
    const answer = await callOf(peer, 'find_tools', { query });
    const { tools: found } = answer['structuredContent'] as { tools: readonly { name: string }[] };
    expect(found.length).toBeLessThanOrEqual(5);
    return found.some(({ name }) => right.includes(name));
  };
  for (const [isParaphrase, share] of [
    [false, 0.9],
    [true, 0.75],
  ] as const) {
    const questions = SEARCH_QUESTIONS.filter((question) => question.isParaphrase === isParaphrase);
    const missed: string[] = [];
    for (const { question, tools: right } of questions) {
      if (!(await isFound(question, right))) missed.push(question);
    }
    expect(missed.length, missed.join('; ')).toBeLessThanOrEqual((1 - share) * questions.length);
  }
});
