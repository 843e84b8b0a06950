import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installPackages, temporaryFolder } from '@deskside/testkit';
import type { ExternalSpec } from '../external/spec.ts';
import { running } from './external.ts';

/** A server that other people publish on npm, and a call of it that needs neither a key nor the network to be answered. */
export interface NpmServer {
  /** Of its mount. */
  readonly id: string;
  readonly name: string;
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const NOWHERE = '127.0.0.1:1';

export const NPM_SERVERS: readonly NpmServer[] = [
  { id: 'chart', name: '@antv/mcp-server-chart', tool: 'generate_pie_chart', input: { data: [] } },
  {
    id: 'brave',
    name: '@brave/brave-search-mcp-server',
    tool: 'brave_web_search',
    env: { BRAVE_API_KEY: 'x' },
  },
  { id: 'eslint', name: '@eslint/mcp', tool: 'lint-files', input: { filePaths: ['/nowhere.js'] } },
  { id: 'mastra', name: '@mastra/mcp-docs-server', tool: 'mastraDocs', input: { paths: ['index.mdx'] } },
  {
    id: 'bravesearch',
    name: '@modelcontextprotocol/server-brave-search',
    tool: 'brave_web_search',
    env: { BRAVE_API_KEY: 'x' },
  },
  {
    id: 'github',
    name: '@modelcontextprotocol/server-github',
    tool: 'get_issue',
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'x' },
  },
  {
    id: 'gitlab',
    name: '@modelcontextprotocol/server-gitlab',
    tool: 'get_file_contents',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'x' },
  },
  {
    id: 'maps',
    name: '@modelcontextprotocol/server-google-maps',
    tool: 'maps_geocode',
    env: { GOOGLE_MAPS_API_KEY: 'x' },
  },
  // It lists its resources from the database, which is not there.
  {
    id: 'postgres',
    name: '@modelcontextprotocol/server-postgres',
    tool: 'query',
    input: { sql: 'select 1' },
    args: [`postgresql://${NOWHERE}/x`],
  },
  { id: 'puppeteer', name: '@modelcontextprotocol/server-puppeteer', tool: 'puppeteer_click' },
  {
    id: 'thinking',
    name: '@modelcontextprotocol/server-sequential-thinking',
    tool: 'sequentialthinking',
    input: { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
  },
  {
    id: 'slack',
    name: '@modelcontextprotocol/server-slack',
    tool: 'slack_reply_to_thread',
    env: { SLACK_BOT_TOKEN: 'x', SLACK_TEAM_ID: 'T' },
  },
  { id: 'notion', name: '@notionhq/notion-mcp-server', tool: 'API-get-self', env: { NOTION_TOKEN: 'ntn_x' } },
  {
    id: 'perplexity',
    name: '@perplexity-ai/mcp-server',
    tool: 'perplexity_ask',
    env: { PERPLEXITY_API_KEY: 'x' },
  },
  { id: 'sentry', name: '@sentry/mcp-server', tool: 'analyze_issue_with_seer', args: ['--access-token=x'] },
  { id: 'context7', name: '@upstash/context7-mcp', tool: 'query-docs' },
  { id: 'commander', name: '@wonderwhy-er/desktop-commander', tool: 'get_config' },
  { id: 'airtable', name: 'airtable-mcp-server', tool: 'list_records', env: { AIRTABLE_API_KEY: 'x' } },
  { id: 'devtools', name: 'chrome-devtools-mcp', tool: 'click' },
  { id: 'exa', name: 'exa-mcp-server', tool: 'web_search_exa', env: { EXA_API_KEY: 'x' } },
  {
    id: 'figma',
    name: 'figma-developer-mcp',
    tool: 'get_figma_data',
    args: ['--stdio', '--figma-api-key=x'],
  },
  { id: 'firecrawl', name: 'firecrawl-mcp', tool: 'firecrawl_scrape', env: { FIRECRAWL_API_KEY: 'fc-x' } },
  { id: 'obsidian', name: 'mcp-obsidian', tool: 'search_notes', input: { query: 'a' }, args: ['.'] },
  { id: 'searxng', name: 'mcp-searxng', tool: 'web_url_read', env: { SEARXNG_URL: `http://${NOWHERE}` } },
  {
    id: 'runner',
    name: 'mcp-server-code-runner',
    tool: 'run-code',
    input: { code: 'console.log(1)', languageId: 'javascript' },
  },
  { id: 'kubernetes', name: 'mcp-server-kubernetes', tool: 'explain_resource' },
  {
    id: 'mongodb',
    name: 'mongodb-mcp-server',
    tool: 'collection-schema',
    env: { MDB_MCP_CONNECTION_STRING: `mongodb://${NOWHERE}/x?serverSelectionTimeoutMS=100` },
  },
  { id: 'ref', name: 'ref-tools-mcp', tool: 'ref_read_url', env: { REF_API_KEY: 'x' } },
  { id: 'tavily', name: 'tavily-mcp', tool: 'tavily_extract', env: { TAVILY_API_KEY: 'x' } },
];

/** Of the protocol's authors, and a browser. They are in no search. */
export const FURTHER_SERVERS: readonly NpmServer[] = [
  {
    id: 'everything',
    name: '@modelcontextprotocol/server-everything',
    tool: 'echo',
    input: { message: 'a' },
  },
  {
    id: 'files',
    name: '@modelcontextprotocol/server-filesystem',
    tool: 'list_allowed_directories',
    args: ['.'],
  },
  {
    id: 'memory',
    name: '@modelcontextprotocol/server-memory',
    tool: 'read_graph',
    env: { MEMORY_FILE_PATH: '/nonexistent/memory.jsonl' },
  },
  { id: 'playwright', name: '@playwright/mcp', tool: 'browser_close', args: ['--headless', '--isolated'] },
];

/** Outside of the repository: what other people publish is no dependency of it. */
const CACHE = join(homedir(), '.cache', 'deskside-proof');
const SERVERS = 'servers';

export function installNpmServers(): Promise<void> {
  return installNpm(
    [...NPM_SERVERS, ...FURTHER_SERVERS].map(({ name }) => name),
    SERVERS,
  );
}

/** @param folder of the cache */
export function installNpm(names: readonly string[], folder: string): Promise<void> {
  return installPackages(names, join(CACHE, folder), false);
}

/** An installed server, which runs in a folder. */
export function npmServer({ name, args = [], env = {} }: NpmServer, cwd = temporaryFolder()): ExternalSpec {
  const command = process.execPath;
  return running({ command, args: [programOf(name, SERVERS), ...args], env, cwd });
}

/**
 * Kills the programs that this process has started in a folder. Some write another title over their arguments.
 *
 * @returns how many
 */
export function killIn(folder: string): number {
  const tasks = `/proc/${process.pid}/task`;
  const children = readdirSync(tasks).flatMap((task) =>
    readFileSync(`${tasks}/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  const found = children.filter((pid) => readlinkSync(`/proc/${pid}/cwd`) === folder);
  for (const pid of found) process.kill(Number(pid), 'SIGKILL');
  return found.length;
}

/** The program of an installed package. */
export function programOf(name: string, cacheFolder: string): string {
  const folder = join(CACHE, cacheFolder, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  const [first = ''] = typeof bin === 'string' ? [bin] : Object.values(bin);
  return join(folder, first);
}
