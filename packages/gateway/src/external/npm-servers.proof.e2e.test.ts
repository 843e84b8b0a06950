import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installPackages, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { running } from '../testing/external.ts';
import { callOf } from '../testing/fake.ts';
import { openDesk } from '../testing/open-desk.ts';
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

/**
 * The right tools, as the desk lists them, and a question. Written from the READMEs of 28 servers of npm, before their tool lists and
 * before the ranking. A question never changes. The name of a tool may: some READMEs give another one than the server.
 */
const DIRECT = `
chart_generate_pie_chart: pie chart of the share of each browser
chart_generate_word_cloud_chart: word cloud from a text
brave_brave_news_search: search recent news about the election
github_create_pull_request: create a pull request
github_search_repositories: search GitHub repositories about vector databases
gitlab_get_file_contents: get file contents from a GitLab project
maps_maps_search_places: search places near a location on Google Maps
puppeteer_puppeteer_fill: fill an input field by its CSS selector
slack_slack_post_message: post a message to a Slack channel
notion_API-query-data-source: query a Notion data source with filters
perplexity_perplexity_ask: ask Perplexity a quick question
context7_resolve-library-id: resolve a library name to a Context7 id
commander_kill_process: kill a process by PID
commander_write_file: write text to a file, append
airtable_list_bases: list my Airtable bases
devtools_take_screenshot|puppeteer_puppeteer_screenshot: take a screenshot of the browser page
firecrawl_firecrawl_scrape: scrape a page with Firecrawl
runner_run-code: run this Python code
kubernetes_kubectl_describe: describe a deployment with kubectl
mongodb_aggregate: aggregate over a MongoDB collection
ref_ref_read_url: read a documentation URL with Ref
`;

/** Without a word of the tool's own name. */
const PARAPHRASED = `
chart_generate_pie_chart: show what proportion of the total each part has
chart_generate_boxplot_chart: show median, quartiles and outliers of the measurements
chart_generate_funnel_chart: visualize how many customers are lost at each stage
chart_generate_dual_axes_chart: plot temperature and rainfall together, two variables with different units
chart_generate_network_graph: draw the relationships and connections between nodes
chart_generate_fishbone_diagram: find the root causes of a problem, Ishikawa
chart_generate_word_cloud_chart: picture of the frequency of terms in textual data
chart_generate_flow_diagram: draw the steps and sequence of a process
brave_brave_summarizer: condensed answer by AI from earlier results
eslint_lint-files: check my JavaScript for style problems with ESLint
github_create_issue: report a bug in the tracker of a GitHub repository
github_create_pull_request: propose my branch for merging on GitHub
github_push_files: commit several documents to a GitHub branch at once
github_search_users: who on GitHub has the login torvalds
github_list_commits: what changed lately on the main branch of a GitHub repository
github_fork_repository: copy somebody's project to my GitHub account
gitlab_create_merge_request: propose my branch for review on GitLab
maps_maps_geocode: convert an address to latitude and longitude
maps_maps_directions: how do I drive from Berlin to Munich
maps_maps_elevation: how high above sea level is a location
maps_maps_distance_matrix: travel time by bicycle between many points
maps_maps_place_details: phone number, rating and opening hours of a restaurant
postgres_query: run a read-only SQL statement
puppeteer_puppeteer_fill: type a value into an input of a form
puppeteer_puppeteer_evaluate: execute JavaScript in the browser console
puppeteer_puppeteer_navigate|devtools_navigate_page: open a website in a browser
thinking_sequentialthinking: break down a complex problem step by step
slack_slack_post_message: write a text into a channel
slack_slack_add_reaction: put a thumbs up emoji on what a colleague wrote
slack_slack_get_channel_history: recent messages of the team
slack_slack_get_users: who is a member of our workspace
notion_API-retrieve-page-markdown: read what stands in a Notion document
context7_query-docs: up-to-date documentation and code examples for a library
commander_kill_process: terminate a program that hangs, by its PID
commander_force_terminate: stop a running session of the shell
commander_move_file: rename a document on my disk
commander_list_directory: what is in this folder
commander_read_multiple_files: show the contents of several documents simultaneously
commander_get_file_info: size, permissions and modification time of a document
airtable_list_bases: which Airtable databases can I access
airtable_describe_table: which fields and views does this Airtable sheet have
devtools_list_console_messages|puppeteer_puppeteer_evaluate: see errors that JavaScript of the page has logged
firecrawl_firecrawl_scrape: fetch the content of a known page as markdown
firecrawl_firecrawl_map: discover the URLs on a site without fetching their content
firecrawl_firecrawl_monitor_create: watch a website on a recurring schedule and alert me of changes
figma_get_figma_data: layout of a design from the Framelink server
runner_run-code: execute a snippet of a programming language and show the result
kubernetes_kubectl_scale: increase the number of replicas of a deployment
kubernetes_node_management: drain and cordon machines for maintenance
mongodb_collection-storage-size: how much disk does MongoDB need for these documents
`;

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
  for (const [lines, share] of [
    [DIRECT, 0.95],
    [PARAPHRASED, 0.75],
  ] as const) {
    const questions = lines.trim().split('\n');
    const missed: string[] = [];
    for (const line of questions) {
      const [right = '', question = ''] = line.split(/: (.*)/);
      if (!(await isFound(question, right.split('|')))) missed.push(question);
    }
    expect(missed.length, missed.join('; ')).toBeLessThanOrEqual((1 - share) * questions.length);
  }
});
