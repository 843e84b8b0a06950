/** A server that other people publish on npm, and a call of it that needs neither a key nor the network to be answered. */
export interface NpmServer {
  readonly name: string;
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const NOWHERE = '127.0.0.1:1';

export const NPM_SERVERS: readonly NpmServer[] = [
  { name: '@antv/mcp-server-chart', tool: 'generate_pie_chart', input: { data: [] } },
  { name: '@brave/brave-search-mcp-server', tool: 'brave_web_search', env: { BRAVE_API_KEY: 'x' } },
  { name: '@eslint/mcp', tool: 'lint-files', input: { filePaths: ['/nowhere.js'] } },
  { name: '@mastra/mcp-docs-server', tool: 'mastraDocs', input: { paths: ['index.mdx'] } },
  {
    name: '@modelcontextprotocol/server-brave-search',
    tool: 'brave_web_search',
    env: { BRAVE_API_KEY: 'x' },
  },
  {
    name: '@modelcontextprotocol/server-github',
    tool: 'get_issue',
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'x' },
  },
  {
    name: '@modelcontextprotocol/server-gitlab',
    tool: 'get_file_contents',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'x' },
  },
  {
    name: '@modelcontextprotocol/server-google-maps',
    tool: 'maps_geocode',
    env: { GOOGLE_MAPS_API_KEY: 'x' },
  },
  // It lists its resources from the database, which is not there.
  {
    name: '@modelcontextprotocol/server-postgres',
    tool: 'query',
    input: { sql: 'select 1' },
    args: [`postgresql://${NOWHERE}/x`],
  },
  { name: '@modelcontextprotocol/server-puppeteer', tool: 'puppeteer_click' },
  {
    name: '@modelcontextprotocol/server-sequential-thinking',
    tool: 'sequentialthinking',
    input: { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
  },
  {
    name: '@modelcontextprotocol/server-slack',
    tool: 'slack_reply_to_thread',
    env: { SLACK_BOT_TOKEN: 'x', SLACK_TEAM_ID: 'T' },
  },
  { name: '@notionhq/notion-mcp-server', tool: 'API-get-self', env: { NOTION_TOKEN: 'ntn_x' } },
  { name: '@perplexity-ai/mcp-server', tool: 'perplexity_ask', env: { PERPLEXITY_API_KEY: 'x' } },
  { name: '@sentry/mcp-server', tool: 'analyze_issue_with_seer', args: ['--access-token=x'] },
  { name: '@upstash/context7-mcp', tool: 'query-docs' },
  { name: '@wonderwhy-er/desktop-commander', tool: 'get_config' },
  { name: 'airtable-mcp-server', tool: 'list_records', env: { AIRTABLE_API_KEY: 'x' } },
  { name: 'chrome-devtools-mcp', tool: 'click' },
  { name: 'exa-mcp-server', tool: 'web_search_exa', env: { EXA_API_KEY: 'x' } },
  { name: 'figma-developer-mcp', tool: 'get_figma_data', args: ['--stdio', '--figma-api-key=x'] },
  { name: 'firecrawl-mcp', tool: 'firecrawl_scrape', env: { FIRECRAWL_API_KEY: 'fc-x' } },
  { name: 'mcp-obsidian', tool: 'search_notes', input: { query: 'a' }, args: ['.'] },
  { name: 'mcp-searxng', tool: 'web_url_read', env: { SEARXNG_URL: `http://${NOWHERE}` } },
  {
    name: 'mcp-server-code-runner',
    tool: 'run-code',
    input: { code: 'console.log(1)', languageId: 'javascript' },
  },
  { name: 'mcp-server-kubernetes', tool: 'explain_resource' },
  {
    name: 'mongodb-mcp-server',
    tool: 'collection-schema',
    env: { MDB_MCP_CONNECTION_STRING: `mongodb://${NOWHERE}/x?serverSelectionTimeoutMS=100` },
  },
  { name: 'ref-tools-mcp', tool: 'ref_read_url', env: { REF_API_KEY: 'x' } },
  { name: 'tavily-mcp', tool: 'tavily_extract', env: { TAVILY_API_KEY: 'x' } },
];
