/** What a model or a person looks for, and the tools that are right. */
export interface SearchQuestion {
  /** Names as the desk lists them: with the id of the mount. */
  readonly tools: readonly string[];
  readonly question: string;
  /** It has no word of the tool's own name. */
  readonly isParaphrase: boolean;
}

/**
 * Written from the READMEs of 28 servers of npm, before their tool lists and before the ranking. A question never changes. The name of
 * a tool may: some READMEs give another one than the server.
 */
const DIRECT = `
chart_generate_pie_chart: pie chart of the share of each browser
chart_generate_line_chart: generate a line chart of revenue over time
chart_generate_column_chart: column chart with sales per region
chart_generate_radar_chart: radar chart of five skills
chart_generate_word_cloud_chart: word cloud from a text
chart_generate_flow_diagram: flow diagram of the ordering process
chart_generate_organization_chart: organization chart of the company
chart_generate_histogram_chart: histogram of response times
brave_brave_news_search: search recent news about the election
brave_brave_local_search|bravesearch_brave_local_search: local search for restaurants near me
brave_brave_summarizer: Brave summarizer with a summary key
mastra_mastraDocs: read the Mastra docs about agents
github_create_pull_request: create a pull request
github_search_users: search GitHub users by followers
github_add_issue_comment: add a comment to an issue on GitHub
github_create_repository: create a new private GitHub repository
github_update_issue: update an issue: close it and change labels
github_get_file_contents: get the contents of a file from a GitHub repository
github_search_repositories: search GitHub repositories about vector databases
gitlab_create_merge_request: create a merge request
gitlab_get_file_contents: get file contents from a GitLab project
maps_maps_geocode: geocode an address
maps_maps_search_places: search places near a location on Google Maps
maps_maps_distance_matrix: distance matrix between several origins and destinations
maps_maps_directions: walking directions from A to B
puppeteer_puppeteer_navigate: navigate Puppeteer to a URL
puppeteer_puppeteer_fill: fill an input field by its CSS selector
puppeteer_puppeteer_evaluate: evaluate JavaScript in the Puppeteer browser
slack_slack_post_message: post a message to a Slack channel
slack_slack_add_reaction: add a reaction with an emoji
slack_slack_get_channel_history: history of a Slack channel
slack_slack_get_user_profile: profile of one Slack user
notion_API-query-data-source: query a Notion data source with filters
notion_API-move-page: move a Notion page to another parent
notion_API-update-page-markdown: update the Markdown of a Notion page
notion_API-list-data-source-templates: list the templates of a Notion data source
perplexity_perplexity_ask: ask Perplexity a quick question
perplexity_perplexity_reason: reason about a complex problem with Perplexity
context7_resolve-library-id: resolve a library name to a Context7 id
commander_start_process: start a process in a terminal
commander_kill_process: kill a process by PID
commander_read_file: read a local file
commander_write_file: write text to a file, append
commander_create_directory: create a directory
commander_move_file: move or rename a file
commander_get_file_info: get info about a file: size and time
commander_get_usage_stats: usage stats of Desktop Commander
airtable_list_records: list the records of an Airtable table
airtable_list_bases: list my Airtable bases
airtable_describe_table: describe an Airtable table
airtable_update_records: update records in Airtable
airtable_create_field: create a field in an Airtable table
airtable_list_comments: list the comments of an Airtable record
devtools_list_network_requests: list the network requests of a page
devtools_take_screenshot|puppeteer_puppeteer_screenshot: take a screenshot of the browser page
exa_web_fetch_exa: fetch a web page with Exa
firecrawl_firecrawl_scrape: scrape a page with Firecrawl
firecrawl_firecrawl_crawl|tavily_tavily_crawl: crawl many pages of a website
firecrawl_firecrawl_monitor_list: list my Firecrawl monitors
firecrawl_firecrawl_research_read_paper: read the full text of a paper
firecrawl_firecrawl_parse: parse a document with Firecrawl
searxng_searxng_web_search: SearXNG web search
runner_run-code: run this Python code
kubernetes_kubectl_logs: logs of a Kubernetes pod
kubernetes_kubectl_describe: describe a deployment with kubectl
kubernetes_kubectl_rollout: rollout of a deployment
kubernetes_install_helm_chart: install a Helm chart
kubernetes_kubectl_patch: patch a field of a Kubernetes resource
mongodb_aggregate: aggregate over a MongoDB collection
mongodb_collection-schema: schema of a MongoDB collection
mongodb_find: find documents in MongoDB
mongodb_update-many: update many MongoDB documents
mongodb_list-databases: list the databases of MongoDB
mongodb_create-index: create an index for a MongoDB collection
ref_ref_read_url: read a documentation URL with Ref
tavily_tavily_extract: extract the content of web pages with Tavily
`;

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

function read(lines: string, isParaphrase: boolean): readonly SearchQuestion[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [names = '', ...words] = line.split(': ');
      return { tools: names.split('|'), question: words.join(': '), isParaphrase };
    });
}

export const SEARCH_QUESTIONS: readonly SearchQuestion[] = [
  ...read(DIRECT, false),
  ...read(PARAPHRASED, true),
];
